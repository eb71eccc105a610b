#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# graph run of a stage whose results have None among them, as that of an input without a gradient: the output's row says what they are, and
# has the figures and bytes of the tensors.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import torch
    torch.set_num_threads(1)
    w = torch.nn.Parameter(torch.tensor([[1., 2.], [3., float("nan")]]))
    def f(x):
        return (x * w).sum(0)
    c = torch.compile(f, backend="aot_eager")
    for i in range(2):
        c(torch.tensor([[1., -2.], [3., 4.]])).sum().backward()
    """

with Cdbg(PROGRAM) as d:
    d.do("break f")
    d.go()
    for stage, what, size in ("joint", "list of 2 tensors, 1 None", 24), ("backward", "tuple of 1 tensor, 1 None", 16):
        row = d.rows("graph run " + stage)[-1]
        is_((row["node"], row["dtype"]), ("output", what), "graph run %s: the output's row tells tensors and None" % stage)
        is_(row["bytes"], size, "... and has the bytes of the tensors")
    row = d.rows("graph run joint")[-1]
    is_((row["min"], row["max"], row["nan"]), (-2.0, 10.0, 1), "... and their figures")
done()
