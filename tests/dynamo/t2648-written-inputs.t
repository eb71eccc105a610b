#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Inductor's kernels that only write inputs of the graph, as those of optimizers and caches do: their lines, nodes and links, in code that
was just compiled and in code from the cache."""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_inductor()

PROGRAM = """
    import torch
    def update(p, g, buf):
        buf.mul_(0.9).add_(g)
        p.sub_(buf, alpha=0.1)
        p.clamp_(-1, 1)
    def remember(cache, at, x):
        cache[at] = torch.sin(x)
        return cache.sum(0)
    def scatter(t, i, x):
        y = torch.cos(x)
        t.index_put_((i,), y, accumulate=True)
    u, r, s = torch.compile(update), torch.compile(remember), torch.compile(scatter)
    p, g, buf = torch.ones(8), torch.ones(8), torch.zeros(8)
    cache, t = torch.zeros(4, 8), torch.zeros(4)
    for i in range(2):
        u(p, g, buf)
        r(cache, i, torch.ones(8))
        s(t, torch.tensor([0, 0, 2]), torch.ones(3))
    print(p.sum().item(), cache.sum().item(), t.tolist())
    """
folder = tempfile.mkdtemp(prefix="cdbg-t2648-")
for what in ("compiled", "cached"):
    with Cdbg(PROGRAM, env={"TORCHINDUCTOR_CACHE_DIR": folder}, limit=300) as d:
        d.do("tbreak 18")
        d.go()
        d.do("tbreak update")
        d.go()
        stop = d.go("stepg")
        ok(stop["frame"].get("user_line") in (3, 4, 5), what + ": a kernel that only writes inputs has a line of the function")
        rows = d.rows("info graph")
        is_(sorted(r["line"] for r in rows), [3, 5], what + ": ... and each input that it writes the line of what it holds then")
        links = d.rows("info links")
        is_(sorted(r["line"] for r in links if r["what"] == "line" and r["line"] != 4), [3, 5], what + ": ... which the kernel is linked to")
        kernel = next(r["target"] for r in rows)
        told = [r["text"] for r in d.rows("info kernel " + kernel) if not r.get("line") and "prog.py" in r["text"]]
        ok(len(told) >= 2, what + ": ... and which 'info kernel' lists", str(told))
        d.do("tbreak scatter")
        d.go()
        is_(d.go("stepg")["frame"].get("user_line"), 11, what + ": a kernel of index_put_() has its line")
        d.run_out()
        is_(d.out, bare(PROGRAM)[1], what + ": the program's output is as without cdbg")
shutil.rmtree(folder)
done()
