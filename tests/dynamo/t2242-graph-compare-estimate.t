#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The estimate of graph compare -backward counts what autograd keeps for gradients.
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import torch
    torch.set_num_threads(1)
    def f(x):
        for i in range(80):
            x = torch.sigmoid(torch.tanh(x))        # autograd keeps both results
        return x
    x = torch.ones(1 << 17, 64, requires_grad=True)     # 32 MiB, 160 values of it
    c = torch.compile(f, backend="eager")
    with torch.no_grad():
        for i in range(2):
            c(x)
    print("done")
    """
with Cdbg(PROGRAM, limit=200) as d:
    d.do("break f")
    d.go()
    d.go()
    told = d.error("graph compare -backward") or ""
    size = re.search(r"needs about ([\d.]+) GB of memory; '-f' makes it", told)
    ok(size and 8 < float(size.group(1)) < 14, "all values in float64 are counted, not only those that are alive at once", told)
    like(d.error("graph reduce /nowhere/part.py -backward"), r"needs about [\d.]+ GB of memory; '-f' makes it", "graph reduce refuses what is too large, too")
    r = d.cmd("graph compare -backward with x=x[:64]")
    ok(r["ok"] and r["estimate"] < 1 << 25, "by the sizes of the given values", str(r)[:300])
    r = d.cmd("graph compare -backward with x=x[:64].detach()")
    ok(r["ok"] and r["estimate"] < 1 << 20, "autograd keeps nothing where no input requires a gradient", str(r)[:300])
    d.do("delete")
    d.go()
    is_(d.out, "done\n", "the program continues as before")
done()
