#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Rows of a graph that is stepped: of nodes whose value nobody reads, and of statements that only read sizes; and a comparison without
# a value to compare.
import os
import shutil
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

WRITES = """
    import torch
    def f(x, y):
        x.add_(1)
        return x + y
    c = torch.compile(f, backend="eager")
    x = torch.ones(4)
    for turn in range(2):
        c(x, x.clone())
    c(x.to("meta"), x.to("meta"))
    """
with Cdbg(WRITES, limit=200) as d:
    d.do("break f")
    d.go()
    d.go("stepg")
    d.go("step")
    rows = {r["node"]: r for r in d.rows("info graph")}
    is_((rows["add_"]["state"], rows["add_"]["dtype"]), ("done", "float32"), "a node that writes its input shows what it made of it")
    d.go()
    d.go()
    r = d.do("graph compare")
    is_(r["rows"], [], "on meta there is no value to compare")
    like(r["text"], "nothing was compared: .*'graph run' shows", "... which is reported instead of an agreement")
    is_(r["first"], None, "... no node is wrong")

SIZES = """
    import torch
    def f(n):
        return torch.sin(n) * 2
    c = torch.compile(f, backend="inductor")
    n = torch.nested.nested_tensor([torch.ones(2, 4), torch.ones(3, 4)], layout=torch.jagged)
    for turn in range(2):
        c(n)
    """
if shutil.which("g++"):
    folder = tempfile.mkdtemp(prefix="cdbg-t2239-")
    with Cdbg(SIZES, env={"TORCHINDUCTOR_CACHE_DIR": folder}, limit=200) as d:
        d.do("break f")
        d.go()
        d.go()
        stop = d.go("stepg")
        like(stop["frame"]["node"], "^cpp_fused", "inductor's statements that read sizes do not count")
        ok(all(r["node"].startswith("buf") for r in d.rows("info graph")), "... and no rows", str([r["node"] for r in d.rows("info graph")]))
        d.go("step")
        rows = d.rows("info graph")
        is_([r["state"] for r in rows], ["done"] * len(rows), "... the kernel is one step")
    shutil.rmtree(folder, ignore_errors=True)
else:
    skip("statements that read sizes", "no g++")
done()
