#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# info links from each kernel of a model, those of libraries too, to captured nodes and lines, and forward again.
import os
import re
import shutil
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_inductor()

PROGRAM = """
    import torch
    import torch.nn.functional as F
    def f(x, w, e):
        h = F.layer_norm(x, (16,))
        q = F.linear(h, w).view(2, 6, 2, 8).transpose(1, 2)
        a = F.scaled_dot_product_attention(q, q, q)
        h = a.transpose(1, 2).reshape(2, 6, 16)
        v, i = torch.sort(h, dim=1)
        g = F.gelu(F.linear(v, e), approximate="tanh")
        return (g + x).sum(dim=-1)
    torch.manual_seed(0)
    x = torch.randn(2, 6, 16)
    w, e = (torch.randn(16, 16, requires_grad=True) for i in range(2))
    c = torch.compile(f, backend="inductor")
    for i in range(2):
        c(x, w, e).sum().backward()
    """
folder = tempfile.mkdtemp(prefix="cdbg-t2249-")
with Cdbg(PROGRAM, env={"TORCHINDUCTOR_CACHE_DIR": folder}, limit=300) as d:
    d.do("break f")
    d.go()
    d.go()
    graph = d.rows("info graphs")[0]["graph"]
    for stage in ("kernel", "kernel-backward"):
        code = d.text("graph show " + stage)
        body = code[code.index("def call("):]
        kernels = re.findall(r"^(\w+) = async_compile", code, re.M) + sorted(set(re.findall(r"\b(extern_kernels\.\w+|torch\.ops\.[\w.]+)\(", body)))
        ok([k for k in kernels if k.startswith("extern_kernels")], "%s calls a library" % stage, str(kernels))
        lost = []
        for kernel in kernels:
            rows = d.cmd("info links kernel %s:%s:%s" % (graph, stage, kernel)).get("rows") or []
            if not [r for r in rows if r["what"] == "node" and r["id"].count(":") == 1] or not [
                    r for r in rows if r["what"] == "line" and re.search(r"prog\.py:\d+$", r["id"])]:
                lost.append(kernel)
        is_(lost, [], "each of its kernels leads to captured nodes and lines")
    lost = [r["node"] for r in d.rows("graph show post-grad-backward") if r["op"] == "call_function" and not [
        x for x in d.rows("info links node %s:post-grad-backward:%s" % (graph, r["node"])) if x["what"] == "line"]]
    is_(lost, [], "so does each node of the backward graph")
    ids = [r["what"] + " " + r["id"] for r in d.rows("info links node %s:a" % graph)]
    ok([i for i in ids if i.startswith("kernel ") and i.endswith("_for_cpu.default")], "a captured node leads to the library's kernel", str(ids))
    sort = [r["id"] for r in d.rows("info links node %s:v" % graph) if r["what"] == "kernel"]
    ok([k for k in sort if "sort" in k], "a part of a tuple leads to the kernel that made the tuple", str(sort))
shutil.rmtree(folder, ignore_errors=True)
done()
