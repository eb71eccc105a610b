#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# graph compare of a right graph whose buffers are written more than once: scatter_add, index_add, in-place operations.
import os
import shutil
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_inductor()

PROGRAM = """
    import sys
    import torch
    from torch._inductor import lowering
    if "wrong" in sys.argv:
        aten = torch.ops.aten
        for key in [k for k in lowering.lowerings if getattr(k, "overloadpacket", k) is aten.sigmoid]:
            lowering.lowerings[key] = lambda x, old=lowering.lowerings[key]: lowering.lowerings[aten.mul.Tensor](old(x), 1.01)
    def f(x, w, idx):
        h = x[:, :8] @ w
        s = torch.zeros(8, 8, 12).scatter_add(1, idx, torch.cumsum(h, dim=1))
        i = torch.zeros(50, 12).index_add(0, idx[:, 0, 0], h[:, 0])
        t = torch.gather(s, 1, idx) * torch.sigmoid(h)
        return t.sum(dim=(0, 2)), i.amax(dim=0)
    torch.manual_seed(0)
    x, w = torch.randn(8, 16, 12), torch.randn(12, 12, requires_grad=True)
    idx = torch.randint(0, 8, (8, 8, 12))
    c = torch.compile(f, backend="inductor")
    for i in range(2):
        r = c(x, w, idx)
        (r[0].sum() + r[1].sum()).backward()
    """
folder = tempfile.mkdtemp(prefix="cdbg-t2250-")
for what in ("right", "wrong"):
    with Cdbg(PROGRAM, what, env={"TORCHINDUCTOR_CACHE_DIR": os.path.join(folder, what)}, limit=300) as d:
        d.do("break f")
        d.go()
        d.go()
        for flag in ("", " -backward"):
            r = d.cmd("graph compare" + flag)
            is_(r["first"], None if what == "right" else "sigmoid", "graph compare%s: %s" % (flag, what))
SCALE = """
    import torch
    from torch._inductor import lowering
    aten = torch.ops.aten
    for key in [k for k in lowering.lowerings if getattr(k, "overloadpacket", k) is aten.div]:
        lowering.lowerings[key] = lambda a, b, old=lowering.lowerings[key]: a if b == 4.0 else old(a, b)
    def f(x, w):
        s = (x @ w) @ (x @ w.t()).t()
        return torch.softmax(s / 4.0, -1) @ x
    torch.manual_seed(0)
    x, w = torch.randn(8, 16), torch.randn(16, 16)
    c = torch.compile(f, backend="inductor")
    for i in range(2):
        c(x, w)
    """
with Cdbg(SCALE, env={"TORCHINDUCTOR_CACHE_DIR": os.path.join(folder, "scale")}, limit=300) as d:
    d.do("break f")
    d.go()
    r = d.cmd("graph compare")
    like(r["first"], "^div", "graph compare names a node that a pass of inductor made")
    is_([row["line"] for row in r["rows"] if not row["ok"] and row["stage"] == "kernel"], [8], "... with the line of the nearest node")
    like(d.text("graph compare"), "was made by a pass of inductor", "... and reports it")
shutil.rmtree(folder, ignore_errors=True)
done()
