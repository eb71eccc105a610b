#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""'catch kernel' stops before kernels, and not where inductor's code reads a value that a kernel wrote."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_inductor()
PROGRAM = """
    import torch
    torch._dynamo.config.capture_scalar_outputs = True

    @torch.compile(backend="inductor")
    def f(x):
        n = x.sum().to(torch.int64).item()
        return (x * n).cos()

    for i in range(2):
        print(f(torch.ones(3)).tolist())
    """
with Cdbg(PROGRAM, limit=300) as d:
    d.do("break f")
    d.go()
    d.go()
    d.do("delete")
    d.do("catch kernel")
    seen = []
    while not d.exited and len(seen) < 20:
        if d.go().get("reason") == "kernel":
            seen.append(d.frame.get("node"))
    is_([name.split("_")[0] for name in seen], ["cpp", "cpp"], "it stops at the two kernels, and not at item() between them")
    is_(d.out, bare(d.path)[1], "the program prints what it prints without cdbg")
done()
