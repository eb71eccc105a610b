#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# info kernel without a name: after the last call of a kernel it shows the last one; of a kernel that is called more than
# once it lists what this call computes.
import os
import re
import shutil
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
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
    like(d.error("info kernel") or "", r"^missing kernel: ", "outside of a graph a name is asked for")
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

with Cdbg("""
    import torch
    def f(x, w):
        x = torch.sin(x @ w)
        x = torch.sin(x @ w)
        return torch.sin(x @ w)
    c = torch.compile(f, backend="inductor")
    x, w = torch.ones(4, 4), torch.ones(4, 4)
    for i in range(2):
        c(x, w)
    """, limit=400) as d:
    d.do("break f")
    d.go()
    d.go()
    d.do("catch kernel cpp_fused*")
    seen = []
    for i in range(3):
        name = d.go()["detail"]["kernel"]
        seen.append([r["text"] for r in d.rows("info kernel") if r["node"] and r["node"] != "-"])
        note = [r["text"] for r in d.rows("info kernel") if r["node"] == "-"]
    is_(seen, [["sin (prog.py:3)"], ["sin_1 (prog.py:4)"], ["sin_2 (prog.py:5)"]], "a call of a kernel has the nodes that this call computes")
    like(note[0], "^it is called at 2 more lines: 'info kernel " + name + "'", "... and how many others there are")
    is_(sorted(r["text"] for r in d.rows("info kernel " + name) if r["node"] and r["node"] != "-"), sorted(sum(seen, [])),
        "by its name it has the nodes of all calls")
done()
