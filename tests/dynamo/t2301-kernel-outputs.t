#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# In the graph that runs, each buffer of inductor's code has the program's line: also where no node has its value.
import os
import shutil
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_inductor()

PROGRAM = """
    import torch
    def f(x):
        mean = torch.var_mean(x, -1)        # mean
        v, i = torch.topk(x, 3)             # topk
        sorted, _ = torch.sort(x)           # sort
        h = torch.softmax(x @ x, -1)        # softmax
        return mean[0], mean[1], v, i, sorted, h.sum(0)
    x = torch.randn(64, 64)
    c = torch.compile(f, backend="inductor")
    for n in range(2):
        c(x)
    """
folder = tempfile.mkdtemp()            # code from inductor's cache does not name its nodes
with Cdbg(PROGRAM, env={"TORCHINDUCTOR_CACHE_DIR": folder}, limit=240) as d:
    d.do("break f")
    d.go()
    d.go()
    d.do("catch kernel")
    d.go()
    rows = d.rows("info graph")
    ok(len(rows) >= 7 and all(r["line"] for r in rows), "each buffer has a line", str([(r["node"], r["line"]) for r in rows]))
    for target, what in (("topk", "topk"), ("sort", "sort")):
        found = [r for r in rows if target in (r["target"] or "")]
        is_([r["line"] for r in found], [d.line_of("# " + what)], "what %s makes has its line, and the operation" % what)
    several = [r for r in rows if rows and r["target"] and "var_mean" in r["target"]]
    ok(len(several) > 1 and d.line_of("# mean") in {r["line"] for r in several}, "a kernel with several outputs has one for each",
       str(several)[:300])
    is_({os.path.basename(r["file"]) for r in rows}, {os.path.basename(d.path)}, "... with the file")
shutil.rmtree(folder, ignore_errors=True)
done()
