#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# graph compare takes no sum for wrong that a kernel makes by adding many equal values one by one, and still finds a sum that is wrong.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_inductor()

PROGRAM = """
    import sys, torch
    from torch._inductor import lowering
    torch.set_num_threads(1)
    lowerings, aten = lowering.lowerings, torch.ops.aten
    if "planted" in sys.argv:
        old, mul = lowerings[aten.sum.dim_IntList], lowerings[aten.mul.Tensor]
        lowerings[aten.sum.dim_IntList] = lambda *a, **k: mul(old(*a, **k), 1.001)
    def columns(x, y):
        a = (x + y).sin()
        return (a / (1 + a)).sum(0)
    def images(x, y):
        b = torch.relu(x * 0.1).view(-1, 8, 4, 8)
        return b.sum((0, 3)) * 2, b.mean((0, 2), keepdim=True) + b.sum()
    def weights(x, y):
        return (x * y).tanh().mean(0).sum()
    def start(f):
        x, y = torch.ones(20000, 256), torch.full((256,), 2.0, requires_grad=True)
        r = f(x, y)
        sum(t.sum() for t in torch.utils._pytree.tree_leaves(r)).backward() if f.grad else 0
        print("%.6g" % sum(float(t.sum()) for t in torch.utils._pytree.tree_leaves(r)))
    for f in columns, images, weights:
        c = torch.compile(f, backend="inductor", dynamic=False)
        c.grad = f is not images
        for i in range(2):
            start(c)
    """

NAMES = "columns", "images", "weights"
for how in "right", "planted":
    with Cdbg(PROGRAM, how, limit=400) as d:
        for name in NAMES if how == "right" else NAMES[:1]:
            d.do("delete")
            d.do("break " + name)
            d.go()
            d.go()
            reply = d.do("graph compare" if name == "images" else "graph compare -backward")
            if how == "planted":
                like(reply["text"], r"the first wrong node is 'sum_1' \(aten\.sum", "a sum that is wrong by 0.1 %% is found: %s" % name)
                continue
            is_(reply["first"], None, "%s: sums of 20,000 equal values are not wrong" % name)
            is_([r["node"] for r in reply["rows"] if r["ok"] is False], [], "... and neither is what is computed from them")
            if name == "columns":
                like(reply["text"], r"note: sums that a kernel makes by adding one value after the other round more than eager's: sum_1", "... and the answer says why they differ")
done()
