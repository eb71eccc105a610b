#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The functions that inductor writes for sub-graphs: what a step and info graph show there has the program's lines and the nodes of the
# sub-graph, also in one within another.
import os
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_inductor()

PROGRAM = """
    import torch
    torch.set_num_threads(1)
    torch.manual_seed(0)
    def f(x, w):
        def yes(x, w):
            b = x @ w  # product
            def deep(b):
                return b.tanh() * 2  # tanh
            return torch.cond(b.max() > -1000, deep, lambda b: b.sin(), (b,))
        return torch.cond(x.sum() > -1000, yes, lambda x, w: x.cos() @ w, (x, w)).mean()
    x, w = torch.randn(3, 4), torch.randn(4, 4)
    c = torch.compile(f, backend="inductor")
    for turn in range(3):
        print("%.5f" % c(x, w).item())
    """


def walked(d, until):
    """[(graph, node, line)] of the stops of stepg."""
    seen = []
    while len(seen) < 60 and not d.exited:
        frame = d.go("stepg")["frame"]
        if frame["function"] == until:
            return seen
        rows = d.rows("info graph")
        seen.append((rows[0].get("graph") or "", frame.get("node"), frame.get("user_line"), rows))
    return seen


with tempfile.TemporaryDirectory() as cache, Cdbg(PROGRAM, limit=400, env={"TORCHINDUCTOR_CACHE_DIR": cache}) as d:
    plain = bare(d.path, env={"TORCHINDUCTOR_CACHE_DIR": cache + "/plain"})
    product, tanh = d.line_of("# product"), d.line_of("# tanh")
    d.do("break f")
    d.go()
    d.go()
    d.do("delete")
    seen = walked(d, "f")
    outer = [s for s in seen if s[0].endswith("kernel true_graph_0")]
    inner = [s for s in seen if s[0].endswith("kernel true_graph_0.true_graph_0")]
    is_([s[2] for s in outer if s[1] == "true_graph_0_buf0"], [product], "a call of a library in a branch has the branch's line")
    is_([s[2] for s in inner if "tanh" in (s[1] or "")], [tanh], "a kernel in a branch within a branch has the inner branch's line")
    rows = [r for s in inner for r in s[3]]
    ok(rows and all(r["line"] == tanh for r in rows), "info graph has it, too", rows)
    ok([r for s in outer for r in s[3] if r["node"] == "true_graph_0_buf0" and r["target"] == "aten.mm.default" and r["line"] == product],
       "... and what the branch calls", [s[3] for s in outer][:1])
    kernel = next(s[1] for s in inner if "tanh" in (s[1] or ""))
    text = " ".join(r["text"] for r in d.rows("info kernel " + kernel) if r["node"])
    like(text, r"true_graph_0\.true_graph_0\.tanh \(prog.py:%d\)" % tanh, "info kernel lists the sub-graph's nodes")
    d.do("break node:true_graph_0.true_graph_0.cpp_*")
    stop = d.go()
    is_((stop["frame"].get("node"), stop["frame"].get("user_line")), (kernel, tanh), "break node: takes the sub-graph's path, and stops with the line")
    d.do("delete")
    d.do("graph recompile")
    is_(d.do("graph recompile")["ok"], True, "after graph recompile ...")
    is_([r["line"] for r in d.rows("info graph")], [tanh], "... the running branch has its line still")
    d.run_out()
    is_((d.out, d.exited["status"]), (plain[1], plain[0]), "the program's results are as without cdbg")
done()
