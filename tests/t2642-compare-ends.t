#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph compare compares gradients through regions of nested_compile_region()."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()

REGION = """
    import torch
    w = torch.randn(4, 4, requires_grad=True)
    @torch.compiler.nested_compile_region
    def region(x):
        return torch.sin(x @ w) + 1
    def f(x):
        x = torch.tanh(x @ w)
        return region(region(x)) + region(x)
    c = torch.compile(f, backend="aot_eager")
    for i in range(2):
        c(torch.ones(4, 4)).sum().backward()
    """
if not torch_has("torch.compiler.nested_compile_region"):
    skip("gradients through regions are compared", "this version of torch has no nested_compile_region()")
else:
    with Cdbg(REGION, limit=200) as d:
        d.do("break f")
        d.go()
        d.go()
        r = d.do("graph compare -backward")
        unlike(r["text"], "not compared", "gradients through regions are compared")
        is_([(row["ok"], row["reference_diff"] > 0) for row in r["rows"] if row["stage"] == "gradient"], [(True, True)], "... with float64")
done()
