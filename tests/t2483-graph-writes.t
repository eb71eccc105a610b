#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Graphs that write parameters, as those of a compiled optimizer, which names them: commands run them on copies.
import os
import shutil
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import sys, torch
    torch.set_num_threads(1)
    torch.manual_seed(0)
    x, w = torch.randn(4, 4), torch.nn.Parameter(torch.randn(4, 4))
    o = torch.optim.Adam([w], 0.1, foreach=True)
    def update():
        o.step()
    c = torch.compile(update, backend=sys.argv[1])
    for i in range(3):
        o.zero_grad()
        (w * x).sin().sum().backward()
        c()
        print(i, *["%.6f" % t.double().sum().item() for t in (w, *o.state[w].values())], torch.get_rng_state().sum().item())
    """


def figures(d):
    return [(r["node"], r["min"], r["max"], r["mean"]) for r in d.rows("graph run")]


for backend in ("eager", "aot_eager", "inductor"):
    if backend == "inductor" and not shutil.which("g++"):
        skip(backend, "no g++: inductor cannot compile")
        continue
    with Cdbg(PROGRAM, backend, limit=300) as d:
        d.do("tbreak node:*")
        d.go()
        before = figures(d)
        ok(len(before) > 10, "%s: an optimizer's graph is run" % backend)
        r = d.do("graph compare")
        is_((r["first"], [n for n in r["text"].splitlines() if n.startswith("note") and "stages" not in n]), (None, []),
            "... and compared: it is right")
        for line in ("graph memory", "graph run -n 2", "graph run until nan", "graph recompile"):
            d.do(line)
        is_(figures(d), before, "... each run begins with the program's values")
        d.run_out()
        is_((d.out, d.exited["status"]), bare(d.path, backend)[1::-1], "... and the program's parameters and state are as without cdbg")
done()
