#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph compare names a wrong node whose value inductor's code only writes into an input: a buffer of a module, a parameter in an optimizer."""
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
    mul = lowerings[aten.mul.Tensor]
    def plant(op):
        right = lowerings[op]
        lowerings[op] = lambda *a, **k: mul(right(*a, **k), 1.01)
    if sys.argv[1] == "planted":
        plant(aten.cos.default)
        plant(aten.reciprocal.default)
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("average", torch.zeros(5))
        def forward(self, x):
            y = x.sum(0)
            new = torch.cos(y)      # only the buffer has it
            self.average.mul_(0.9).add_(new * 0.1)
            return x + 1
    parameter = torch.nn.Parameter(torch.randn(3, 3))
    optimizer = torch.optim.Adam([parameter], lr=0.01)
    def update():
        optimizer.step()
    net = Net()
    with torch.no_grad():
        c = torch.compile(net, dynamic=False)
        for i in range(2):
            c(torch.randn(4, 5))
    parameter.grad = parameter.detach().sin()
    c = torch.compile(update)
    for i in range(2):
        c()
    """
for how in "right", "planted":
    with Cdbg(PROGRAM, how, limit=600) as d:
        d.do("tbreak Net.forward")
        d.go()
        rows = d.rows("graph compare")
        wrong = [(r["node"], r["line"]) for r in rows if r["ok"] is False and r["stage"] != "result"]
        is_(wrong, [("new", d.line_of("new = torch.cos(y)"))] if how == "planted" else [], "%s: a buffer of a module" % how)
        d.do("catch kernel *reciprocal*")
        if d.go().get("reason") != "kernel":
            skip("%s: an optimizer" % how, "this torch computes its step size otherwise")
            continue
        rows = d.rows("graph compare")
        wrong = [r for r in rows if r["ok"] is False and r["stage"] != "result"]
        is_([r["target"] for r in wrong], ["aten.reciprocal.default"] if how == "planted" else [], "%s: a parameter in an optimizer" % how)
done()
