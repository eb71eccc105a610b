#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A backend of the program that changes the captured graph by passes: the graph that it made is stage "backend", whose nodes have the program's
lines, are linked to captured nodes, run, and compared."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
PROGRAM = """
    import sys, torch, torch.fx
    torch.set_num_threads(1)
    torch.manual_seed(0)
    kind, off = sys.argv[1], float(sys.argv[2])
    def fused(x, w):
        return torch.relu(x @ w) + off
    def scaled(t):
        return t * (2 + off)
    class Swap(torch.fx.Transformer):
        def call_function(self, target, args, kwargs):
            if target is not torch.relu:
                return super().call_function(target, args, kwargs)
            return super().call_function(scaled, (super().call_function(torch.relu, args, kwargs),), {}) * 0.5
    def replaced(gm, made):
        graph = gm.graph
        for n in [n for n in graph.nodes if n.target is torch.relu]:
            with graph.inserting_before(n):
                n.replace_all_uses_with(made(graph, n))
            graph.erase_node(n)
        graph.eliminate_dead_code()
        gm.recompile()
        return gm
    def changed(gm, inputs):
        if kind in ("fused", "in place"):
            return replaced(gm, lambda g, n: g.call_function(fused, n.args[0].args)).forward
        if kind == "chain":
            return replaced(gm, lambda g, n: g.call_function(torch.relu, (g.call_function(torch.add, (n.args[0], off)),)))
        if kind == "closure":
            replaced(gm, lambda g, n: g.call_method("clamp", (n.args[0],), {"min": off}))
            return lambda *args: gm(*args)
        if kind == "retarget":
            for n in gm.graph.nodes:
                if n.target is torch.relu:
                    n.target = lambda t: torch.relu(t) * (1 + off)
            gm.recompile()
            return gm.forward
        if kind == "transformer":
            return Swap(gm).transform()
        if kind == "traced":
            from torch.fx.experimental.proxy_tensor import make_fx
            table = {torch.ops.aten.relu.default: lambda t: torch.clamp(t, off)}
            return make_fx(gm, decomposition_table=table)(*inputs).forward
        if kind == "another":
            graph = torch.fx.Graph()
            graph.output(graph.graph_copy(gm.graph, {}))
            return replaced(torch.fx.GraphModule(gm, graph), lambda g, n: g.call_function(torch.clamp, (n.args[0], off))).forward
        return gm.forward
    def backend(gm, inputs):
        return changed(gm, inputs)
    def f(x, w):
        y = x.sin()
        if kind == "in place":
            v = y.view(-1)
            y += 1
            v[:4] = 2
        z = torch.relu(y @ w)                   # here
        return z.sum(-1) * 2, z.cos()
    x, w = torch.randn(4, 8), torch.randn(8, 8)
    c = torch.compile(f, backend=backend)
    for _ in range(2):
        c(x, w)
    print("%.6f" % sum(t.sum() for t in c(x, w)))
"""
# What takes the place of the captured node z: its name where the graph is compiled again.  In the program 'relu' was z's first name.
KINDS = {"fused": "fused", "chain": "relu", "closure": "clamp", "retarget": "z", "transformer": "mul", "another": "clamp", "in place": "fused", "traced": "clamp"}

for kind, name in KINDS.items():
    for off in "0", "1e-3":
        with Cdbg(PROGRAM, kind, off) as d:
            line = d.line_of("# here")
            d.do("break f")
            d.go()
            d.go()
            r = d.do("graph compare")
            if off == "0":
                is_((r["first"], all([row["ok"] for row in r["rows"]])), (None, True), "%s: a right graph is right" % kind)
                ok({"y", "z", "sum_1", "mul", "cos"} - ({"y"} if kind == "traced" else set()) <= {row["node"] for row in r["rows"] if row["stage"] == "backend"}, "... each node is compared",
                   str(r["rows"])[:900])
                is_([row["line"] for row in d.rows("graph run backend") if row["node"] == name], [line], "... and run, with its line")
                continue
            is_((r["first"], [(row["node"], row["line"]) for row in r["rows"] if row["stage"] == "backend" and row["ok"] is False]), ("z", [("z", line)]),
                "%s: the wrong node is named, with its line" % kind)
            like(r["text"], r"the first wrong node is 'z' \(.*\), stage backend", "... and the stage")
            own = "relu_1" if kind == "chain" else name
            d.do("tbreak node:" + own)
            stop = d.go()
            is_((stop["frame"].get("node"), stop["frame"].get("user_line")), (own, line), "... a breakpoint at it stops, and shows the line")
            if kind == "fused":
                is_(sorted(row["id"].partition(":")[2] for row in d.rows("info links node __compiled_fn_1:backend:fused") if row["what"] == "node"),
                    ["matmul", "z"], "... it is linked to the captured nodes that it replaces")
                ok("__compiled_fn_1:backend:fused" in [row["id"] for row in d.rows("info links node __compiled_fn_1:matmul")], "... and these to it")
                is_([(row["change"], row["node"]) for row in d.rows("graph diff __compiled_fn_1 __compiled_fn_1:backend")],
                    [("removed", "matmul"), ("changed", "fused"), ("changed", "sum_1"), ("changed", "cos")], "... graph diff shows what the pass did")
                d.do("up")
                like(d.do("graph recompile")["text"], r"made again: backend", "... graph recompile makes the stage again")
                is_([row["line"] for row in d.rows("graph show __compiled_fn_1 backend") if row["node"] == "fused"], [line], "... with the same lines")
            d.do("delete")
            d.run_out()
            is_(d.out, bare(d.path, kind, off)[1], "... and the program's output is as without cdbg")
with Cdbg(PROGRAM, "none", "0") as d:
    d.do("break f")
    d.go()
    d.go()
    is_([row["stage"] for row in d.rows("info graphs")], ["captured"], "a backend that changes nothing has no such stage")
    like(d.error("graph show __compiled_fn_1 backend"), r"no stage 'backend' of .*; it is there if a backend of the program's changes the graph",
         "... and the error says when it has one")
done()
