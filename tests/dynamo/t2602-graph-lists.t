#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Nodes whose value is a list of tensors have the figures and bytes of all of them, in graph run and while a graph is stepped.  Bytes are
those of memory that holds elements, in graph run as in graph memory: none on meta, those of the parts of other classes."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
PROGRAM = """
    import torch
    from torch.testing._internal.two_tensor import TwoTensor
    def lists(a, b):
        c = torch._foreach_add([a, b], 1.0)
        d = torch._foreach_log(c)
        return d[0].sum() + d[1].sum()
    def mixed(a, k):
        s = torch.topk(a, 2)
        return s[0] + 1, s[1]
    def on_meta(a):
        return (a + 1) * 2
    def two(a):
        return (a + 1) * 2
    a, b = torch.tensor([1.0, 2.0, -1.0, 5.0]), torch.tensor([[3.0, -2.0], [0.5, 1.0]])
    for f, args in ((lists, (a, b)), (mixed, (a, 2)), (on_meta, (torch.ones(4, device="meta"),)), (two, (TwoTensor(a, a.clone()),))):
        torch.compile(f, backend="eager")(*args)
    print("done")
"""
with Cdbg(PROGRAM) as d:
    for f in ("lists", "mixed", "on_meta", "two"):
        d.do("break " + f)

    def run(what="graph run"):
        return {row["node"]: row for row in d.rows(what)}
    d.go()
    rows = run()
    want = {"dtype": "tuple of 2 tensors", "min": -1.0, "max": 6.0, "mean": 2.1875, "nan": 0, "inf": 0, "bytes": 32}
    is_({k: rows["_foreach_add"][k] for k in want}, want, "graph run: a list of tensors has the figures and bytes of all")
    is_((rows["_foreach_log"]["nan"], rows["_foreach_log"]["inf"]), (1, 1), "... NaN and Inf of both are counted")
    like(d.do("graph run until nan")["text"], "node '_foreach_log' makes the first NaN and Inf: ", "... the node that makes the list is the first")
    memory = run("graph memory")
    is_(memory["_foreach_add"]["made"], 32, "... graph memory has the same bytes")
    d.go("stepg")
    while d.stop["frame"]["function"] == "forward" and not any(r["node"] == "_foreach_log" and r.get("state") == "done" for r in d.rows("info graph")):
        d.go("step")
    stepped = {row["node"]: row for row in d.rows("info graph")}
    keys = ("dtype", "min", "max", "mean", "nan", "inf")
    is_([{k: stepped[n].get(k) for k in keys} for n in ("_foreach_add", "_foreach_log")],
        [{k: rows[n][k] for k in keys} for n in ("_foreach_add", "_foreach_log")], "the values of a graph that is stepped are the same")
    ok(not any(["object at 0x" in str(row["dtype"]) for row in stepped.values()]), "... and no address is shown", str(stepped))
    d.go()
    rows = run()
    is_([rows["topk"][k] for k in ("min", "nan", "bytes")], [None, None, 24], "a list of floats and integers has bytes and no range")
    for name, size in (("on_meta", 0), ("two", 32)):
        d.go()
        rows, memory = run(), run("graph memory")
        inputs = [n for n, row in rows.items() if row["op"] == "placeholder"]
        is_([rows[inputs[0]]["bytes"], memory[inputs[0]]["made"]], [size, size], "%s: graph run and graph memory have the same bytes of an input" % name)
    d.do("delete")
    d.run_out()
    is_(d.out, "done\n", "the program prints what it always prints")
with Cdbg("""
    import torch
    def f(a, b):
        torch._foreach_add_([a, b], 1.0)
        return a + b
    c = torch.compile(f, backend="eager")
    c(torch.ones(2), torch.ones(2))
    c(torch.ones(2), torch.ones(2))
    """) as d:
    d.do("tbreak f")
    d.go()
    is_({r["node"]: r["value"] for r in d.rows("graph show") if "_foreach" in r["node"]},
        {"_foreach_add_": "[f32[2] cpu, f32[2] cpu]"}, "a list among the values of a captured graph is shown as one")
done()
