#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# break node:NAME: breakpoints inside compiled graphs, forward and backward, by the names of nodes, buffers and kernels.
import os
import shutil
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import sys
    import torch
    def f(x, w):
        a = torch.sin(x @ w)
        b = torch.cos(a) * 2
        return b.sum() + a.mean()
    torch.manual_seed(0)
    x, w = torch.randn(4, 4), torch.randn(4, 4)
    w.requires_grad_(True)
    c = torch.compile(f, backend=sys.argv[1])
    for i in range(4):
        r = c(x, w)
        if sys.argv[1] != "eager":
            r.backward()
    print("%.4f" % r.item())
    """

with Cdbg(PROGRAM, "eager") as d:
    like(d.do("break node:co*")["text"], "pending: no graph has a node 'co", "a node of a graph that does not exist yet is waited for")
    stop = d.go()
    is_((stop["reason"], stop["frame"]["kind"], stop["frame"].get("node")), ("breakpoint", "graph", "cos"), "it stops in the first run of the graph")
    like(d.rows("info breakpoints")[0]["where"], r"cos in forward \(<eval_with_key>", "the table names the node and its graph")
    like(d.text("print a"), r"tensor\(", "the node's input is a variable there")
    frames = [f for f in d.rows("info frames") if not f["hidden"]]
    is_([f["kind"] for f in frames][:2], ["graph", "generated"], "the generated code is its caller")
    is_(d.go("step")["frame"].get("node"), "b", "a step continues in the graph")
    d.do("delete")
    d.do("tbreak node:sum_1 if float(b.max()) > 100")
    d.do("tbreak node:sum_1 if float(b.max()) < 100")
    d.do("break node:mean")
    d.do("ignore 4 2")
    stop = d.go()
    is_((stop["number"], stop["frame"]["node"]), (3, "sum_1"), "a condition sees the graph's variables")
    is_(len(d.rows("info breakpoints")), 2, "tbreak is gone after its stop")
    d.do("delete 2")
    stop = d.go()
    is_((stop["number"], stop["frame"]["node"]), (4, "mean"), "ignore counts")
    is_(d.rows("info breakpoints")[0]["hits"], 3, "... hits in runs of the graph")
    d.do("set var a = a * 0")
    is_(d.text("print float(a.sum())").strip()[-3:], "0.0", "set var works on the variables of a graph's frame")
    d.do("break node:no_such")
    like(d.rows("info breakpoints")[-1]["where"], "pending: node:no_such", "a name that no graph has stays pending")
    like(d.error("break node:"), "missing node name after 'node:'", "a name is required")
    ok("break node:matmul" in d.text("complete break node:ma").splitlines(), "names are completed", d.text("complete break node:ma"))

with Cdbg(PROGRAM, "aot_eager") as d:
    d.do("break node:cos*")
    d.do("break node:sin_1")
    is_(d.go()["frame"].get("node"), "cos", "forward of aot_eager")
    stop = d.go()
    ok(stop["frame"]["kind"] == "graph" and stop["frame"]["node"] in ("cos_1", "sin_1"), "backward of aot_eager", str(stop["frame"]))
    like(d.text("bt"), "node (cos_1|sin_1)", "bt tells the node")

with Cdbg("""
    import torch
    def f(x):
        for i in range(200):
            x = torch.sin(x) * 2
        return x
    c = torch.compile(f, backend="eager")
    c(torch.ones(3))
    c(torch.ones(3))
    """) as d:
    d.do("tbreak f")
    d.go()
    d.do("break node:x*")                               # torch 2.6 names the products so, too
    like(d.rows("info breakpoints")[-1]["where"], "and (197|397) more", "all nodes of a graph with more than 256 variables are found")
    d.do("delete")
    d.go("stepg")
    count = 1
    while d.go("step")["frame"].get("node") not in (None, "output"):
        count += 1
    is_(count, 400, "each of its nodes is a step")

if not shutil.which("g++"):
    skip("what inductor compiles", "no g++: inductor cannot compile")
else:
    with Cdbg(PROGRAM, "inductor", limit=240) as d:
        d.do("break node:cpp_fused*cos*")
        stop = d.go()
        is_((stop["frame"]["kind"], stop["frame"]["function"]), ("graph", "call"), "a kernel of inductor's call")
        like(stop["frame"]["node"], "cpp_fused", "... is named")
        d.do("delete")
        d.do("tbreak node:buf2")
        stop = d.go()
        is_(stop["frame"]["kind"], "graph", "a buffer: stops where a kernel computes it")
        d.do("break node:cpp_fused*")
        seen = [d.go()["frame"]["file"] for i in range(3)]
        ok(len(set(seen)) >= 2, "kernels of forward and backward", str(seen))
done()
