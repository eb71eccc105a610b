#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph compare names a wrong write into a part of a tensor, which passes of inductor make other nodes of where it is compiled alone."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_inductor()
PROGRAM = """
    import torch
    from torch._inductor import lowering
    torch.set_num_threads(1)
    aten, lowerings = torch.ops.aten, lowering.lowerings
    mul, scatter = lowerings[aten.mul.Tensor], lowerings[aten.select_scatter.default]
    lowerings[aten.select_scatter.default] = lambda *a, **k: mul(scatter(*a, **k), 1.5)
    def f(x, w):
        y = x.sin()
        y[0] = w[0]
        return y.cos()
    c = torch.compile(f, dynamic=False)
    for i in range(2):
        c(torch.randn(8, 16), torch.randn(16, 16))
    """
with Cdbg(PROGRAM, limit=400) as d:
    d.do("break f")
    d.go()
    d.go()
    text = d.text("graph compare")
    like(text, r"^the first wrong node is '\w+' \(aten\.select_scatter\.default\), stage kernel", "the node is named that writes a part of y")
done()
