#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Stages that torch took from its caches: cdbg noted their nodes when it saw the compile. graph show, code, draw and diff have them.
import os
import shutil
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_inductor()

PROGRAM = """
    import torch
    def part(a):
        return torch.cos(a) * 2
    def f(x, w):
        a = torch.sin(x @ w)
        b = part(a)
        v, m = torch.var_mean(b.reshape(-1, 4), dim=1)
        return (torch.exp(-v) + m).sum(dim=-1)
    torch.manual_seed(0)
    x, w = torch.randn(8, 16), torch.randn(16, 16, requires_grad=True)
    c = torch.compile(f, backend="inductor")
    for i in range(2):
        c(x, w).backward()
    """
STAGES = ["captured", "joint", "forward", "backward", "post-grad", "kernel", "post-grad-backward", "kernel-backward"]
GRAPHS = [s for s in STAGES if not s.startswith("kernel")]
KEYS = ("node", "op", "target", "args", "line", "users")
folder = tempfile.mkdtemp(prefix="cdbg-t2245-")
seen = {}


def changes_of(rows):
    return [(r["change"], r["node"], r["was"], r["is"]) for r in rows]


for what in ("cold", "warm"):
    with Cdbg(PROGRAM, env={"TORCHINDUCTOR_CACHE_DIR": folder}, limit=300) as d:
        d.do("break f")
        d.go()
        if what == "cold":                      # the backward graph is compiled when it first runs
            d.go()
        is_(sorted(r["stage"] for r in d.rows("info graphs")), sorted(STAGES), "all stages are listed with a %s cache" % what)
        for stage in GRAPHS:
            seen[what, stage] = d.rows("graph show 0/0 " + stage)
        if what == "cold":
            seen["cold diff"] = d.rows("graph diff captured forward")
        if what == "warm":
            changes = d.rows("graph diff forward post-grad")
            ok(len(changes) < len(seen["cold", "forward"]) and all(r["change"] for r in changes), "graph diff compares stages from a cache", str(changes)[:400])
            cos = [r for r in d.rows("graph diff captured forward") if r["node"] == "cos"]
            is_(cos and (cos[0]["was"], cos[0]["is"]), ("torch.cos(a)", "aten.cos.default(sin)"), "... and with the captured graph")
            is_(changes_of(seen["cold diff"]), changes_of(d.rows("graph diff captured forward")), "... as it does after a compile")
            like(d.text("graph code joint"), r"mm = aten\.mm\.default\(primals_1, primals_2\)", "graph code writes such a stage")
            like(d.text("graph draw backward"), r"\* +mm_1 = |mm_1 = aten\.mm", "graph draw draws it")
            like(d.text("graph show kernel"), "async_compile", "inductor's code is shown")
            found = [r["what"] + " " + r["id"] for r in d.rows("info links node __compiled_fn_1:post-grad:cos")]
            ok("node __compiled_fn_1:cos" in found and any(f.endswith("prog.py:3") for f in found), "info links leads to the captured node and its line", str(found))
            stop = d.go("stepg")
            is_(stop["frame"].get("user_line"), 5, "an operation of a library has the line that inductor's comment leads to")
            rows = {r["node"]: (r["target"], r.get("line")) for r in d.rows("info graph")}
            is_(rows.get("buf0"), ("aten.mm.default", 5), "... and its buffers name the operation or the kernel that computes them")
            is_([line for target, line in rows.values() if str(target).startswith("cpp_")], [8], "... a kernel has the line of the node whose value it writes")
            d.go("finish")
            d.go()
            kernel = [w for w in d.text("graph show kernel").split() if w.startswith("cpp_fused")][0]
            found = [r["what"] + " " + r["id"] for r in d.rows("info links kernel __compiled_fn_1:kernel:" + kernel)]
            ok("node __compiled_fn_1:post-grad:cos" in found and "node __compiled_fn_1:cos" in found, "a kernel leads to the nodes that it computes", str(found))
            texts = [r["text"] for r in d.rows("info kernel " + kernel)]
            like(texts[0], r"cos \(prog\.py:3\)", "... info kernel lists them")
            ok(not any("graph recompile" in t for t in texts), "... which are all of them", str(texts[:3]))
            like(d.text("graph compare -backward"), "no wrong node found", "graph compare compiles the graph again")
            like(d.text("graph recompile -backward"), "made again: joint, forward, backward, post-grad", "graph recompile makes the stages again")
            rows = {r["node"]: (r["change"], r["was"], r["is"]) for r in d.rows("graph diff forward captured")}
            is_(rows.get("cos"), ("changed", "aten.cos.default(sin)", "torch.cos(a)"), "graph diff pairs nodes whichever graph comes first")
            is_([rows[n] for n in rows if n.startswith("sum")], [("changed", "aten.sum.dim_IntList(add, [-1])", "sum(add, dim=-1)")],
                "... also those that have other names")
            found = [r["what"] + " " + r["id"] for r in d.rows("info links node __compiled_fn_1:post-grad:cos")]
            ok(any(f.startswith("kernel ") for f in found) and "node __compiled_fn_1:cos" in found, "... and then a node leads to its kernel", str(found))
            stop = d.go("stepg")
            ok(stop["frame"].get("user_line"), "... the code that runs, which came from the cache, has the program's lines", str(stop))
            lines = [r["line"] for r in d.rows("info graph")]
            ok(lines and all(lines), "... and so has each buffer", str(lines))
for stage in GRAPHS:
    pick = lambda rows: [tuple(str(r[k]) for k in KEYS) for r in rows if r["op"] not in ("output", "placeholder")]
    cold, warm = pick(seen["cold", stage]), pick(seen["warm", stage])
    is_(len(warm), len(cold), "%s has as many nodes when it comes from a cache" % stage)
    is_(warm, cold, "... and these are the same")
    is_([r["value"].replace(" grad", "") for r in seen["warm", stage] if r["value"]][:3],
        [r["value"].replace(" grad", "") for r in seen["cold", stage] if r["value"]][:3], "... with types and shapes")

CHAIN = """
    import torch
    def f(x, w):
        y = (x @ w).relu()      # first
        return y @ w            # second
    c = torch.compile(f, backend="inductor")
    with torch.no_grad():
        c(torch.ones(4, 4), torch.ones(4, 4))
        c(torch.ones(4, 4), torch.ones(4, 4))
    """
for what in ("cold", "warm"):
    with Cdbg(CHAIN, env={"TORCHINDUCTOR_CACHE_DIR": folder}, limit=300) as d:
        d.do("break f")
        d.go()
        d.go("stepg")
        is_([r["line"] for r in d.rows("info graph") if r["target"].endswith("mm") or "mm.default" in r["target"]],
            [d.line_of("# first"), d.line_of("# second")],
            "with a %s cache an operation of a library has its own line, not that of what computes its input" % what)

LAYER = """
    import torch
    import torch.nn.functional as F
    def f(x, w, u, b):
        h = F.layer_norm(x, (32,))
        q, k, v = (h @ w).split(32, dim=-1)
        p = torch.softmax(q @ k.transpose(-1, -2) * 0.2, dim=-1)
        x = x + p @ v
        g = torch.addmm(b, x, u)
        g = F.gelu(g)
        y = torch.cat((g.sin(), g.cos()), dim=1)
        return (y * 2).sum(1).tanh()
    torch.manual_seed(0)
    x, w, u, b = torch.randn(8, 32), torch.randn(32, 96, requires_grad=True), torch.randn(32, 32, requires_grad=True), torch.randn(32)
    c = torch.compile(f, backend="inductor")
    for i in range(2):
        c(x, w, u, b).sum().backward()
    """
for what in ("cold", "warm"):
    with Cdbg(LAYER, env={"TORCHINDUCTOR_CACHE_DIR": folder}, limit=300) as d:
        d.do("break f")
        d.go()
        if what == "cold":
            d.go()
        d.do("catch backward")
        d.go("stepg")
        seen[what, "f"] = {r["node"]: (r["target"], r.get("line")) for r in d.rows("info graph")}
        d.go()
        seen[what, "b"] = {r["node"]: (r["target"], r.get("line")) for r in d.rows("info graph")}
for graph in "fb":
    cold, warm = seen["cold", graph], seen["warm", graph]
    name = "forward" if graph == "f" else "backward"
    ok(len(warm) > 5 and warm.keys() == cold.keys(), "%s: with a warm cache there are the same buffers" % name, "%s\n%s" % (cold, warm))
    is_([(n, warm[n], cold[n]) for n in warm if warm[n][1] and warm[n] != cold[n]], [], "... the call and the line of each are the same, where they are known")
    kernels = {target: [] for target, _ in warm.values() if str(target).startswith("cpp_")}
    for target, line in warm.values():
        if target in kernels:
            kernels[target] += [line] if line else []
    ok(len(kernels) > 1 and all(kernels.values()), "... and each kernel has a line", str(warm))

SORT = """
    import torch
    def f(x):
        for i in range(3):
            x = torch.sort(x - x.amax(), dim=0).values
        a = torch.topk(x.sin() + 1, 2, dim=0).values
        b = torch.topk(x.cos() + 2, 2, dim=0).values
        return a.sum(), b.prod()
    c = torch.compile(f, backend="inductor")
    with torch.no_grad():
        c(torch.randn(40, 4))
        c(torch.randn(40, 4))
    """
for what in ("cold", "warm"):
    with Cdbg(SORT, env={"TORCHINDUCTOR_CACHE_DIR": folder}, limit=300) as d:
        d.do("break f")
        d.go()
        d.go("stepg")
        rows = d.rows("info graph")
        if what == "cold":
            continue
        is_([r["line"] for r in rows if "sort" in str(r["target"])], [4, 4, 4], "operations that depend on each other have the lines of their order")
        ok(all(r["line"] == 4 for r in rows if "amax" in str(r["target"])), "... and so have their kernels", str(rows)[:2000])
        ok(all(r["line"] for r in rows), "... each buffer has a line")
shutil.rmtree(folder, ignore_errors=True)
done()
