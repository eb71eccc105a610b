#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph compare of the variance and mean of values that are normalized already: the mean is what is left of values that cancel each other,
eager adds them up in float64 and a kernel in float32."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_inductor()

PROGRAM = """
    import torch, torch.nn.functional as F
    torch.manual_seed(0)
    w = torch.ones(1, 8)
    def f(x):
        variance, mean = torch.var_mean(torch.relu(x * 0.5) - torch.relu(x * -0.5), [1], correction=0, keepdim=True)
        return variance, mean, mean @ w         # another kernel reads the mean, so that it is kept and judged
    c = torch.compile(f)
    x = 2 * F.layer_norm(torch.randn(2048, 8), (8,))
    for i in range(2):
        print(c(x)[0].sum().item())
"""
with Cdbg(PROGRAM, limit=300) as d:
    d.do("tbreak %d" % d.line_of("print("))
    d.go()
    d.do("tbreak f")
    d.go()
    text = d.text("graph compare")
    like(text, "no wrong node found", "the mean of values that cancel each other is not called wrong")
    row = [r for r in d.rows("graph compare") if r["node"].startswith("mean (")]
    ok(row and row[0]["ok"] and row[0]["max_diff"] > 1000 * row[0]["reference_diff"], "though eager's is nearer to float64 by far", str(row))
    d.run_out()
done()
