#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The memory that graph run, compare and reduce take, beside what the graph itself needs.
import os
import shutil
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from peak import needed, taken

need_torch()

PROGRAM = """
    import sys
    import torch
    torch.set_num_threads(1)
    def f(x, w):
        for i in range(6):
            x = torch.tanh(x) @ w
        return x
    def wrong(gm, inputs):
        for n in gm.graph.nodes:
            if n.target is torch.tanh:
                n.target = torch.sin
        gm.recompile()
        return gm.forward
    torch.manual_seed(0)
    x, w = torch.randn(1 << 18, 64), torch.randn(64, 64) / 8
    c = torch.compile(f, backend=wrong if sys.argv[1] == "wrong" else sys.argv[1])
    with torch.no_grad():
        for i in range(2):
            c(x, w)
    print("done")
    """


def sum_of(d):
    return d.text("print x.double().sum().item(), w.double().sum().item()")


# each value has 64 MiB: nothing else is of that size
with Cdbg(PROGRAM, "wrong", limit=200) as d:
    d.do("break f")
    d.go()
    d.go()
    need, before = needed(d), sum_of(d)
    d.do("graph run with x=x[:64]")
    r, most = taken(d, "graph run")
    ok(r["ok"] and most <= 1.25 * need, "graph run takes what the graph needs", "%.0f MiB, needs %.0f" % (most, need))
    out = os.path.join(os.path.dirname(d.path), "small.py")
    d.do("graph compare with x=x[:64]")
    r, most = taken(d, "graph reduce %s" % out)
    ok(r["ok"] and most <= 4 * need, "graph reduce takes at most twice what the graph needs in float64", "%.0f MiB, needs %.0f; %s" % (
        most, need, r.get("error")))
    is_(sum_of(d), before, "the program's tensors are as before")
if not shutil.which("g++"):
    skip("what inductor compiles", "no g++: inductor cannot compile")
else:
    with Cdbg(PROGRAM, "inductor", limit=400) as d:
        d.do("break f")
        d.go()
        d.go()
        need, before = needed(d), sum_of(d)
        d.do("graph compare with x=x[:64]")     # compiling takes memory of its own
        r, most = taken(d, "graph compare")
        ok(r["ok"] and r["first"] is None and len(r["rows"]) > 6, "graph compare finds nothing wrong", str(r)[-300:])
        ok(most <= 3.5 * need, "graph compare takes less than twice what the graph needs in float64", "%.0f MiB, needs %.0f" % (most, need))
        is_(sum_of(d), before, "... and the program's tensors are as before")
done()
