#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# stepg: into compiled graphs of three backends, forward and backward, node by node.
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
    w.requires_grad_(sys.argv[2] == "grad")
    c = torch.compile(f, backend=sys.argv[1])
    c(x, w)
    r = c(x, w)
    if w.requires_grad:
        r.backward()
    print("%.4f" % r.item())
    """


def nodes(d, first="stepg"):
    """The nodes of one graph, by a stepg and then steps; and the stop after it."""
    found, stop = [], d.go(first)
    while stop["event"] == "stopped" and stop["frame"]["kind"] == "graph":
        if stop["reason"] != "return":
            found.append(stop["frame"]["node"])
        stop = d.go("step")
    return found, stop


FORWARD = {"eager": ["matmul", "a", "cos", "b", "sum_1", "mean", "add", "output"],
           "aot_eager": ["mm", "sin", "cos", "mul", "sum_1", "mean", "add", "output"]}
for backend in ("eager", "aot_eager", "inductor"):
    if backend == "inductor" and not shutil.which("g++"):
        skip("what inductor compiles", "no g++: inductor cannot compile")
        continue
    for grad in ("none", "grad"):
        what = "%s, gradients: %s" % (backend, grad)
        with Cdbg(PROGRAM, backend, grad, limit=240) as d:
            d.do("break f")
            d.go()
            d.go()
            got, stop = nodes(d)
            if backend == "inductor":
                ok(len(got) >= 2 and got[0].startswith("buf") and "cpp_fused" in " ".join(got),
                   "each kernel call is a step (%s)" % what, str(got))
            else:
                is_([n for n in got if n not in ("t", "permute")], FORWARD[backend], "each node is a step (%s)" % what)
            is_((stop["frame"]["kind"], stop["frame"]["function"]), ("generated", "f"), "... then the generated code continues")
            d.do("delete")
            if grad == "grad" and backend != "eager":
                d.do("break %d" % [i for i, line in enumerate(open(d.path), 1) if "backward" in line][0])
                d.go()
                got, stop = nodes(d)
                ok(got, "the backward graph is entered (%s)" % what)
                is_(stop["frame"]["function"], "<module>", "... and left for the program's next line")
            if not d.exited:
                d.go()
            is_(d.exited and d.exited["status"], 0, "the program ends as ever (%s)" % what)

with Cdbg(PROGRAM, "aot_eager", "none") as d:
    d.do("break f")
    d.go()
    d.go()
    d.go("stepg")
    frames = d.rows("info frames")
    is_([f["kind"] for f in frames if not f["hidden"]][:2], ["graph", "generated"], "the graph's frame is called by the generated code")
    ok(any(f["kind"] == "library" and f["hidden"] for f in frames), "... what is between them is hidden")
    d.go("step")
    like(d.text("print mm"), r"tensor\(", "a node's value can be printed by its name")
    stop = d.go("finish")
    is_(stop["frame"]["kind"], "graph", "finish stops at the graph's return")
    stop = d.go("step")
    is_(stop["frame"]["kind"], "generated", "... and the next step is in the generated code")
    d.go("step")
    d.do("delete")
    d.do("tbreak f")

with Cdbg(PROGRAM, "eager", "none") as d:
    d.do("break f")
    d.go()
    stop = d.go("step")
    is_(stop["frame"]["kind"], "generated", "step does not enter graphs by itself")
    d.go()
    d.do("set step-into graph")
    is_(d.go("step")["frame"].get("node"), "matmul", "it does with 'set step-into graph'")
done()
