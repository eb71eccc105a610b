#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Lines of buffers that a kernel writes for itself, in code that torch took from inductor's cache: they are those of the compile."""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_inductor()

NORMS = """
    import torch
    import torch.nn.functional as F
    def f(x, w, t):
        h = F.layer_norm(x, (32,)) @ w
        p = torch.softmax(h, dim=-1) @ w
        h = F.layer_norm(p + x, (32,)) @ w
        r = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6)
        return F.cross_entropy(r @ w, t)
    c = torch.compile(f, backend="inductor")
    for i in range(2):
        with torch.no_grad():
            c(torch.randn(8, 32), torch.randn(32, 32), torch.arange(8))
    """
# A kernel writes two buffers of one size for two lines, and two of another size for one line.
SEVERAL = """
    import torch
    def f(x, y):
        m = x.mean(1, keepdim=True)
        s = x.var(1, keepdim=True)
        a = (x - m) / (s + 1)
        return a * y.sum(0) * y.amax(0)
    c = torch.compile(f, backend="inductor")
    for i in range(2):
        with torch.no_grad():
            c(torch.randn(16, 16), torch.randn(16, 16))
    """
folder = tempfile.mkdtemp(prefix="cdbg-t2643-")


def lines(program):
    """({buffer: line}, what 'info kernel' reports about buffers) of the kernels, compiled and from the cache."""
    found = []
    for i in range(2):
        with Cdbg(program, env={"TORCHINDUCTOR_CACHE_DIR": folder}, limit=300) as d:
            d.do("break f")
            d.go()
            d.go("stepg")
            rows = [r for r in d.rows("info graph") if str(r["target"]).startswith("cpp_")]
            told = [r["text"] for k in sorted({r["target"] for r in rows}) for r in d.rows("info kernel " + k) if not r.get("line")]
            found += [({r["node"]: r.get("line") for r in rows}, told)]
    return found


(cold, _), (warm, told) = lines(NORMS)
ok(len(cold) > 8 and all(cold.values()), "kernels of norms and softmaxes write more buffers than they return", str(cold))
is_(warm, cold, "from the cache each of these has its line")
ok(len(told) >= len(warm) and all("(prog.py:" in t for t in told), "... info kernel names nodes and line of each", str(told))
(cold, _), (warm, told) = lines(SEVERAL)
is_(sorted(cold.values()), [3, 4, 6, 6, 6], "a kernel writes two buffers of one size for two lines")
is_(warm, cold, "... and from the cache each has its own")
shutil.rmtree(folder, ignore_errors=True)
done()
