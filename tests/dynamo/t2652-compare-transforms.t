#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph compare where torch.func's grad() or vmap() calls compiled code, which Dynamo allows with backend eager only."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
PROGRAM = """
    import torch
    torch.manual_seed(0)
    def f(w, x):
        return (w * x).tanh().sum()
    c = torch.compile(f, backend="eager")
    w, x = torch.randn(4), torch.randn(4)
    for i in range(2):
        print(%s.sum().item())
    """
CALLS = {"grad": "torch.func.grad(c)(w, x)", "jvp": "torch.func.jvp(lambda v: c(v, x), (w,), (x,))[1]",
         "grad of grad": "torch.func.grad(lambda w: torch.func.grad(c)(w, x).sum())(w)"}
for kind, call in CALLS.items():
    with Cdbg(PROGRAM % call) as d:
        d.do("tbreak f")
        if d.go().get("event") == "exited" or d.frame.get("region") is None:
            skip("%s: graph compare" % kind, "this torch does not compile it")
            continue
        is_([(r["stage"], r["ok"]) for r in d.rows("graph compare -backward")], [("result", True), ("gradient", True)],
            "%s: graph compare judges results and gradients" % kind)
        ok(d.do("graph recompile -backward")["ok"], "%s: graph recompile" % kind)
        d.run_out()
        is_((d.out, d.err), bare(PROGRAM % call)[1:], "%s: the program prints the same afterwards" % kind)

call = "torch.func.vmap(c, (None, 0))(w, torch.ones(3, 4))"
with Cdbg(PROGRAM % call) as d:
    d.do("tbreak f")
    d.go()
    like(d.error("graph compare"), r"^vmap\(\) maps over input 'l_x_', .*; 'with NAME=EXPR' gives it a tensor$", "vmap: what it maps over is refused")
    is_([r["ok"] for r in d.rows("graph compare with x=torch.ones(4)")], [True], "vmap: with a value of one it is compared")
    d.run_out()
    is_(d.out, bare(PROGRAM % call)[1], "vmap: the program prints the same afterwards")
done()
