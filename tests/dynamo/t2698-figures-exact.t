#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Figures of nodes are those that torch itself counts: of all sizes, float types and strides, with NaN and Inf at any place."""
import json
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
PROGRAM = """
    import json
    import torch
    torch.manual_seed(2)
    odd = [float("nan"), float("inf"), float("-inf")]
    def values(n, seed):
        x = torch.randn(n, dtype=torch.float64) * 100
        for k in range(seed % 4):
            x[(seed * 7 + k * 5) % n] = odd[(seed + k) % 3]
        return x
    CASES = []
    for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float64):
        for n in list(range(1, 14)) + [64, 67]:
            x = values(n, n + len(CASES)).to(dtype)
            CASES += [x, x.repeat(2, 1).t(), x.expand(3, n), x[n // 2:]]
        CASES += [torch.full((5,), float("nan"), dtype=dtype), torch.tensor([0.0, -0.0, 1e-30, -1e-30], dtype=dtype)]
    def f(*xs):
        return [x.detach() for x in xs]
    def count(x):
        finite = x[torch.isfinite(x)].double()
        return (finite.min().item() if len(finite) else None, finite.max().item() if len(finite) else None,
                finite.mean().item() if len(finite) else None, int(x.isnan().sum()), int(x.isinf().sum()))
    print(json.dumps([count(x) for x in CASES]), flush=True)
    c = torch.compile(f, backend="eager")
    c(*CASES)
    c(*CASES)
    """

with Cdbg(PROGRAM, limit=300) as d:
    d.do("tbreak f")
    d.go()
    d.do("tbreak f")
    d.go()
    true = json.loads(d.out)
    rows = [r for r in d.cmd("graph run")["rows"] if r["op"] == "call_method"]
    wrong = []
    for number, (row, t) in enumerate(zip(rows, true)):
        least, most, mean, nan, inf = t
        got = (row["min"], row["max"], row["nan"], row["inf"])
        close = row["mean"] is None if mean is None else math.isclose(row["mean"], mean, rel_tol=1e-9, abs_tol=1e-30)
        if got != (least, most, nan, inf) or not close:
            wrong.append((number, row, t))
    ok(len(rows) == len(true) > 200, "there is a row for each of the tensors", (len(rows), len(true)))
    is_(wrong[:3], [], "each has the least, the largest, the mean, and the number of NaN and Inf that torch counts")
done()
