#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A graph that is compiled again may become other code: what is shown of the code that runs stays."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()


def links(d):
    return {(r["what"], r["id"].rpartition("/")[2]) for r in d.rows("info links")}


with Cdbg("""
    import torch
    torch._dynamo.config.capture_scalar_outputs = True
    def f(x, k):
        n = k.item()
        torch._check(n >= 0)
        torch._check(n < 100)
        z = torch.zeros(n) + x.sum()
        return z.cos().sum()
    c = torch.compile(f, backend="aot_eager")
    for i in range(2):
        print(c(torch.ones(6), torch.tensor(4)).item())
    """) as d:
    d.do("break node:cos")
    d.go()
    node, before = d.frame["node"], links(d)
    ok(any(w == "node" for w, _ in before), "a node of a graph with item() has links", str(before))
    d.do("graph recompile")
    is_(links(d), before, "they are the same after 'graph recompile', which makes other nodes of it")
    rows = [r for r in d.rows("info graph") if r.get("current")]
    is_([r["node"] for r in rows], [node], "'info graph' shows the graph that runs")
    d.go("stepg")
    is_(d.frame["user_line"], d.line_of("return z.cos().sum()"), "a step shows the program's line")
    d.do("graph run inference")
    ok(links(d), "the next node has links after 'graph run' of a stage")
    d.do("delete")
    d.run_out()
    is_(d.exited["status"], 0, "the program ends")

if shutil.which("g++"):
    with Cdbg("""
    import torch
    p = torch.nn.Parameter(torch.ones(3, 3))
    o = torch.optim.Adam([p], lr=0.01)
    p.grad = torch.ones(3, 3)
    c = torch.compile(lambda: o.step())
    for i in range(2):
        c()
    """, limit=600) as d:
        d.do("catch kernel")
        d.go()
        before = d.text("info kernel")
        for i in range(2):
            d.do("graph recompile")
            is_(d.text("info kernel"), before, "inductor: 'info kernel' shows the kernel that is called next after recompile %d" % (i + 1))
else:
    skip("inductor", "no g++")
done()
