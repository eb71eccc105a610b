#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Watchpoints see tensors that are changed in place.
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
with Cdbg("""
    import torch
    def f():
        t = torch.zeros(1000); many = [torch.zeros(3, 3) for _ in range(200)]; lin = torch.nn.Linear(2, 2); big = torch.zeros(1 << 20)
        data = torch.zeros(100); grown = torch.zeros(4); last = 0
        t[999] = 1                              # here
        many[199].add_(1)
        lin.weight.data.fill_(3)
        big[-1] = 1
        data.data[99] = 2
        grown.resize_(8)
        last = 1
        return last
    f()
    print("end")
""") as d:
    d.do("break %d" % d.line_of("# here"))
    d.go()
    d.do("delete")
    names = "t", "many", "lin", "big", "data", "grown"
    for name in names:
        unlike(d.text("watch " + name), "not every", "all changes of '%s' are seen" % name)
    for name in names:
        d.go()
        is_((d.reason, (d.stop.get("detail") or {}).get("expression")), ("watch", name), "a change of '%s' in place stops" % name)
    d.run_out()
    is_(d.out, "end\n", "the program runs to its end")
done()
