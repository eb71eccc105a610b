#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph compare -backward names the captured node whose gradient a branch of torch.cond() computes wrongly."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_inductor()
PROGRAM = """
    import sys, torch
    from torch._inductor import lowering
    torch.set_num_threads(1)
    torch.manual_seed(0)
    aten, lowerings = torch.ops.aten, lowering.lowerings
    cos, mul = lowerings[aten.cos.default], lowerings[aten.mul.Tensor]
    if sys.argv[1] == "planted":
        lowerings[aten.cos.default] = lambda *a, **k: mul(cos(*a, **k), 1.01)
    def yes(a):
        b = a * 3
        c = torch.sin(b)    # wrong where its gradient is computed
        d = c.tanh()
        return d * 2
    def no(a):
        return torch.cos(a) - 1
    def two(a):
        b = a.exp()
        c = b.sin()         # so is this one
        return c + b
    def first(x, w):
        y = x @ w
        return torch.cond(y.sum() > -1e9, yes, no, (y,)).exp().sum()
    def second(x, w):
        y = x @ w
        return torch.cond(y.sum() < -1e9, no, two, (y,)).sum()
    x, w = torch.randn(6, 4), torch.randn(4, 4, requires_grad=True)
    for f in first, second:
        c = torch.compile(f, backend="inductor", dynamic=False)
        for i in range(2):
            c(x, w)
    """
for how in "right", "planted":
    with Cdbg(PROGRAM, how, limit=600) as d:
        for name, node, text in (("first", "cond_true_0.c", "c = torch.sin(b)"), ("second", "cond_false_0.c", "c = b.sin()")):
            d.do("tbreak " + name)
            d.go()
            rows = d.rows("graph compare -backward")
            wrong = [(r["node"], r["line"]) for r in rows if r["ok"] is False and r["stage"] == "kernel-backward"]
            is_(wrong, [(node, d.line_of(text))] if how == "planted" else [], "%s, %s: %s" % (
                how, name, "the node and its line are named, not one of the other branch" if how == "planted" else "no node is wrong"))
done()
