#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# graph compare with inductor takes at most twice the memory that a graph needs, also where kernels fuse many nodes, and with -backward.
import os
import shutil
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from peak import taken

need_torch()
if not shutil.which("g++"):
    skip_all("no g++: inductor cannot compile")

PROGRAM = """
    import sys
    import torch
    F = torch.nn.functional
    torch.set_num_threads(1)
    trained = sys.argv[1] == "trained"
    torch.manual_seed(0)
    x, w = torch.randn(1 << 17, 64), torch.randn(64, 64) / 8        # x: 32 MiB
    short = torch.randn(1 << 14, 64)
    w.requires_grad_(trained)
    def attention(x, w):
        q, k = x[:4096] @ w, x[4096:8192] @ w
        return torch.softmax(q @ k.T / 8.0, -1) @ x[8192:12288]     # scores: 64 MiB
    def mlp(x, w):
        h = torch.relu(x @ w)
        h = F.silu(h @ w) * (x @ w)
        return F.layer_norm(x + h @ w, (64,))
    def norm(x, w):
        return F.layer_norm(x, (64,), w[0], w[1])
    def gelu(x, w):
        return F.gelu(x @ w) @ w
    with torch.set_grad_enabled(trained):
        for f in (attention, mlp, norm, gelu):
            c = torch.compile(f, backend="inductor", dynamic=False)
            for i in range(2):
                c(short if f is attention else x, w)
    """
MIB, COMPILING = 1 << 20, 24            # MiB that compiling takes for itself


def compare(d, name, line, most):
    what = name + line[len("graph compare"):]
    d.do("delete")
    d.do("break " + name)
    d.go()
    d.go()
    before = d.text("print x.double().sum().item(), w.double().sum().item()")
    if name == "attention":
        d.cmd(line)                     # what torch loads for the first compile stays
    r, took = taken(d, line)
    told = "took %.0f MiB, estimate %.0f, the graph needs %.0f" % (took, r["estimate"] / MIB, r["needs"] / MIB)
    note("%s %s" % (what, told))
    ok(r["ok"] and r["first"] is None and r["rows"], "%s: nothing is wrong" % what, str(r)[-300:])
    ok(took <= most * r["needs"] / MIB + COMPILING, "%s: it takes at most %.1f times what the graph needs" % (what, most), told)
    ok(abs(took - r["estimate"] / MIB) <= 0.15 * took + COMPILING, "%s: the estimate is near" % what, told)
    is_(d.text("print x.double().sum().item(), w.double().sum().item()"), before, "%s: the program's tensors are as before" % what)


# blocks of memory are given back at once, so that what is alive is measured
for how, line in (("not", "graph compare"), ("trained", "graph compare -backward")):
    with Cdbg(PROGRAM, how, limit=600, env={"MALLOC_MMAP_THRESHOLD_": str(MIB)}) as d:
        for name in ("attention", "mlp", "norm", "gelu"):
            compare(d, name, line, 2)
done()
