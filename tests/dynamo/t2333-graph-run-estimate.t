#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# graph run and graph memory estimate what a run takes: views take nothing, sizes are those of the given values.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from peak import estimate, taken

need_torch()

PROGRAM = """
    import torch
    torch.set_num_threads(1)
    def views(x):
        y = x * 2
        z = y.expand(100, *y.shape)             # 3.4 GB, but for the memory
        return z[0].view(-1, 32).t().sum()
    def growing(x):
        y = torch.cat([x, x, x])
        return (y * 2).sum()
    x = torch.ones(1 << 17, 64)                 # 32 MiB
    large = torch.ones(1).expand(3 << 19, 64)   # 384 MiB, but for the memory
    a = torch.compile(views, backend="eager", dynamic=False)
    b = torch.compile(growing, backend="eager", dynamic=True)
    for i in range(2):
        a(x)
        b(x[:1000 + i])
    print("done")
    """


with Cdbg(PROGRAM, limit=200, env={"MALLOC_MMAP_THRESHOLD_": str(1 << 20)}) as d:
    d.do("break views")
    d.go()
    d.go()
    r, took = taken(d, "graph run")
    ok(r["ok"] and took < 110, "views take nothing: the graph is run", "%.0f MiB; %s" % (took, str(r)[-200:]))
    ok(d.cmd("graph memory")["ok"], "... by graph memory, too")
    d.do("delete")
    d.do("break growing")
    d.go()
    told = estimate(d, "graph run with x=large", "sizes that were traced as symbols")
    r, took = taken(d, "graph run -f with x=large")
    ok(r["ok"] and abs(took * 2**20 - told * 1e9) <= 0.15 * told * 1e9, "... within 15 % of what the run takes",
       "took %.0f MiB, by the estimate %.1f GB" % (took, told))
    is_(estimate(d, "graph memory with x=large", "graph memory"), told, "... which is that of graph run")
    ok(d.cmd("graph run with x=x[:64]")["ok"], "small values are run")
    d.do("delete")
    d.go()
    is_(d.out, "done\n", "the program continues as before")
done()
