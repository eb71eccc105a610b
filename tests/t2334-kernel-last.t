#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# After the last call of a kernel, info kernel shows the last one.
import os
import re
import shutil
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *

need_torch()
if not shutil.which("g++"):
    skip_all("no g++: inductor cannot compile")

with Cdbg("""
    import torch
    def f(x, w):
        a = torch.sin(x)
        return (a @ w).relu() + 1
    c = torch.compile(f, backend="inductor")
    x, w = torch.ones(4, 4), torch.ones(4, 4)
    for i in range(2):
        c(x, w)
    """, limit=400) as d:
    like(d.error("info kernel") or "", r"^missing kernel: name one", "outside of a graph a name is asked for")
    d.do("break f")
    d.go()
    d.go()
    d.go("stepg")
    seen = []
    while d.frame.get("function") == "call":
        text = d.cmd("info kernel")
        name = re.search(r"cpp_fused_\w+", str(text.get("title") or text))
        seen.append(name.group(0) if name else "none")
        if d.go("step")["reason"] != "step":
            break
    seen = [s for i, s in enumerate(seen) if not i or s != seen[i - 1]]
    ok(len(seen) == 2 and seen[0].startswith("cpp_fused_sin") and "relu" in seen[1],
       "each step shows the kernel that comes next, and after the last one that", str(seen))
done()
