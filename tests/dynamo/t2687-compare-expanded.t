#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# graph compare of expanded tensors, whose elements are the same memory again and again: it takes what they hold, not what they are long.
import os
import shutil
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import sys, torch, resource
    torch.set_num_threads(1)
    torch.manual_seed(0)
    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    def f(m, w):
        e = w.expand(65536, 4096)
        return (m[:8] * e[:8]).sin().sum(), e
    m, w = torch.randn(4096).expand(131072, 4096), torch.randn(4096)
    c = torch.compile(f, backend=sys.argv[1])
    for i in range(2):
        print("%.4f" % c(m, w)[0].item())
    """

for backend in ("aot_eager", "inductor") if shutil.which("g++") else ("aot_eager",):
    with Cdbg(PROGRAM, backend, limit=300) as d:
        plain = bare(d.path, backend)
        d.do("break f")
        d.go()
        d.go()
        before = int(d.text("print peak()"))
        reply = d.do("graph compare")
        like(reply["text"], "no wrong node found", "%s: an input and a result of 2 GB and 1 GB that hold 16 KB are compared without -f" % backend)
        ok(reply["estimate"] < 1 << 24, "... the estimate is that of what they hold", reply["estimate"])
        ok(int(d.text("print peak()")) - before < 400, "... and that is what it takes", (before, d.text("print peak()")))
        rows = {r["node"]: r["ok"] for r in d.rows("graph compare")}
        is_(rows.get("e (result 1)"), True, "... the expanded result is compared")
        d.do("delete")
        d.run_out()
        is_(d.out, plain[1], "... and the program's results are as without cdbg")
done()
