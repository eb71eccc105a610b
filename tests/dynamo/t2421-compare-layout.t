#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# graph compare names the node of a wrong lowering after a convolution, where inductor lays values out in another way than they were traced.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_inductor()

PROGRAM = """
    import sys, torch
    import torch.nn as nn, torch.nn.functional as F
    from torch._inductor import lowering
    torch.set_num_threads(1)
    lowerings, aten = lowering.lowerings, torch.ops.aten
    def plant(name):
        if name == "tanh":
            old, add = lowerings[aten.tanh.default], lowerings[aten.add.Tensor]
            lowerings[aten.tanh.default] = lambda x: add(old(x), 1e-3)
        elif name == "cos":
            lowerings[aten.cos.default] = lowerings[aten.sin.default]
        elif name == "exp":
            old, mul = lowerings[aten.exp.default], lowerings[aten.mul.Tensor]
            lowerings[aten.exp.default] = lambda x: mul(old(x), float("nan"))
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.c1, self.b1 = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8)
            self.c2, self.b2 = nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8)
        def forward(self, x):
            h = self.b1(self.c1(x))
            h = torch.tanh(h) + h  # tanh
            h = self.b2(self.c2(h)) + torch.cos(h)  # cos
            h = F.max_pool2d(h.relu(), 2)
            return h * torch.exp(-h)  # exp
    plant(sys.argv[1])
    torch.manual_seed(0)
    net = Net().train()
    net.compile(backend="inductor", dynamic=sys.argv[2] == "any")
    def start(n):
        return net(torch.randn(n, 3, 8, 8)).sum()
    for n in 2, 4:
        loss = start(n)
        print("%.4f" % torch.nan_to_num(loss).item())
    loss.backward()
    """

path = script(PROGRAM)
for name, sizes in (("cos", "one"), ("tanh", "one"), ("exp", "one"), ("cos", "any"), ("none", "one")):
    with Cdbg(path, name, sizes, limit=400) as d:
        d.do("break Net.forward")
        d.go()
        reply = d.do("graph compare")
        what = "%s, %s: graph compare " % (name, "sizes are symbols" if sizes == "any" else "sizes are numbers")
        if name == "none":
            is_(reply["first"], None, "a right graph: graph compare finds nothing wrong")
            is_(d.do("graph compare -backward")["first"], None, "... nor in its backward graph")
        else:
            like(reply["text"], r"the first wrong node is '\w+' \(aten\.%s\.default\)" % name, what + "names the operation")
            like(reply["text"], r"line: prog\.py:%d in forward" % line_of(path, "# " + name), "... and its line")
done()
