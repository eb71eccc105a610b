#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Figures of a tensor that expand() repeats more often than anybody can count to are there at once.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = '''
import torch
@torch.compile(backend="eager")
def f(x, n):
    y = x.narrow(1, 0, 1 << 49)
    z = y.narrow(1, 0, 3) / n
    return z - z
f(torch.tensor([[1.0], [2.0]]).expand(2, 1 << 50), torch.zeros(1))
'''

with Cdbg(PROGRAM) as d:
    d.do("catch nan")
    stop = d.go()
    is_((stop["reason"], stop["detail"]["nan"], stop["detail"]["inf"]), ("nan", 0, 6), "a NaN or Inf of a repeated element is counted as often as it is there")
    rows = {r["node"]: r for r in d.rows("info graph")}
    y = rows["y"]
    is_((y["shape"], y["min"], y["max"], y["mean"], y["nan"]), ([2, 1 << 49], 1.0, 2.0, 1.5, 0), "figures of what is repeated are those of its elements")
    d.run_out()
done()
