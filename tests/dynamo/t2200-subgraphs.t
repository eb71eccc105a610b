#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Graphs inside of graphs, of higher-order operators: shown, run and stepped into; and what vmap maps over.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import sys, warnings
    warnings.simplefilter("ignore")
    import torch
    import torch.utils.checkpoint
    from torch._higher_order_ops.while_loop import while_loop
    torch.manual_seed(0)
    x, w = torch.rand(4, 4), torch.rand(4, 4)
    def f_cond(x, w):
        a = x @ w
        b = torch.cond(a.sum() > -100, lambda a: torch.cos(a) * 2, lambda a: a - 1, (a,))
        return b + 1
    def f_while(x, w):
        a = x @ w
        i, b = while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, torch.cos(v) * 2), (torch.tensor(0), a))
        return b + 1
    def part(a):
        b = torch.cos(a)
        return b * 2
    def f_checkpoint(x, w):
        a = x @ w
        b = torch.utils.checkpoint.checkpoint(part, a, use_reentrant=False)
        return b + 1
    def f_flex(x, w):
        from torch.nn.attention.flex_attention import flex_attention
        q = (x @ w).view(1, 1, 4, 4)
        return flex_attention(q, q, q, score_mod=lambda s, b, h, i, j: s + (i - j)).sum()
    @torch.compiler.nested_compile_region
    def inner(a):
        b = torch.cos(a)
        return b * 2
    def f_invoke(x, w):
        return inner(x @ w) + inner(x)
    def f_vmap(x, w):
        def one(r):
            s = torch.sin(r)
            return (s * 2).sum()
        return torch.vmap(one)(x @ w) + 1
    def f_log(x, w):
        return torch.cond(x.sum() > -100, lambda a: torch.log(a - 100) * 2, lambda a: a - 1, (x @ w,))
    for kind in sys.argv[2:]:
        c = torch.compile(globals()["f_" + kind], backend=sys.argv[1])
        for i in range(2):
            r = c(x, w)
    print("%.4f" % r.sum().item())
    """
# the sub-graph, its nodes as captured, how often it runs
WANT = {"cond": ("cond_true_0", ["a_1", "cos", "mul", "output"], 1),
        "while": ("body_fn_0", ["child_3", "child_4", "child", "cos", "child_5", "output"], 3),
        "checkpoint": ("wrap_body_0", ["a", "b", "mul", "output"], 1),
        "flex": ("score_mod_0", ["child", "child_1", "child_2", "child_3", "child_4", "sub", "add", "output"], 1),
        "invoke": ("subgraph_0", ["a", "b", "mul", "output"], 2)}


def inside(rows, name):
    return [r["node"].partition(".")[2] for r in rows if r["node"].startswith(name + ".")]


def line_of(d, text):
    return [i for i, s in enumerate(open(d.path), 1) if text in s][0]


with Cdbg(PROGRAM, "eager", *WANT, "log", "vmap", limit=400) as d:
    for kind, (name, nodes, times) in WANT.items():
        d.do("break f_%s" % kind)
        d.go()
        d.go()
        if kind in ("invoke", "checkpoint"):    # the placeholder's name is the version's
            nodes[0] = inside(d.rows("graph show"), name)[0]
        is_(inside(d.rows("graph show"), name), nodes, "graph show: the nodes of %s are below the node that names it" % name)
        r = d.cmd("graph run")
        is_(inside(r["rows"], name), nodes * times, "graph run: they run %d times" % times)
        computed = [row for row in r["rows"] if row["op"] in ("call_function", "call_method") and row["node"].startswith(name + ".")]
        ok(all(row["mean"] is not None and row["line"] and row["seconds"] is not None for row in computed),
           "... each with its figures, time and line of the program", str(computed))

    d.do("break f_log")
    d.go()
    d.go()
    r = d.cmd("graph run until nan")
    is_(r.get("first"), "cond_true_0.log", "graph run until nan stops inside of a sub-graph")
    is_(r["rows"][-1]["node"], "cond_true_0.log", "... at the node")
    is_(d.cmd("graph run -n 3").get("first"), "cond_true_0.log", "... and with several runs")

    d.do("break f_vmap")
    d.go()
    d.go()
    rows = {r["node"]: r for r in d.rows("graph run")}
    is_((rows["s"]["shape"], rows["s"]["nan"]), ([4], 0), "a node under vmap has the shape of one, and the figures of all")
    ok(rows["s"]["min"] != rows["s"]["max"], "... whose elements were read")
    ok(d.cmd("graph memory")["ok"], "graph memory under vmap")
    ok(d.cmd("graph compare")["ok"], "graph compare under vmap", str(d.cmd("graph compare").get("error")))
    is_(d.text("print torch._C._functorch.get_interpreter_stack()").strip()[-4:], "None", "no layer of vmap remains")
    d.do("delete")
    d.go()
    is_((d.exited["status"], len(d.out.splitlines())), (0, 1), "the program ends as ever")

for backend in ("eager", "aot_eager"):
    with Cdbg(PROGRAM, backend, "cond", limit=240) as d:
        d.do("break node:cos")
        stop = d.go()
        is_((stop["frame"]["kind"], stop["frame"].get("node")), ("graph", "cos"), "break node: in a branch of cond (%s)" % backend)
        d.go("step")
        rows = [r for r in d.rows("info graph")]
        is_([(r["node"], r["state"]) for r in rows], [("cos", "done"), ("mul", "next"), ("output", None)],
            "info graph shows the sub-graph with its values")
        is_([r["line"] for r in rows][:2], [line_of(d, "b = torch.cond")] * 2, "... and the lines of the program")
        like(rows[0]["graph"], r"__compiled_fn_\d+ .*true", "... and names it")
        d.do("delete")
        d.go("step")
        d.go("step")
        is_(d.go("step")["frame"].get("node"), "b" if backend == "eager" else "getitem", "step leaves it for the graph around it")

done()
