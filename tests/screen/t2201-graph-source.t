#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# While a graph is stepped, the source shown is the line of the program that each node was written in.
import os
import shutil
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()

PROGRAM = """
    import sys
    import torch
    def helper(a):
        return torch.cos(a) * 2         # in helper
    def f(x, w):
        a = torch.sin(x @ w)            # first
        b = helper(a)
        return b.sum() + a.mean()       # last
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


def lines(d, most=40):
    """[(node, the program's line)] of one graph's stops."""
    found, stop = [], d.go("stepg")
    while stop["event"] == "stopped" and stop["frame"]["kind"] == "graph" and len(found) < most:
        frame = stop["frame"]
        ok_file = frame["user_file"] == d.path
        found.append((frame["node"], frame["user_line"] if ok_file else frame["user_file"]))
        stop = d.go("step")
    return found


path = None
for backend in ("eager", "aot_eager", "inductor"):
    if backend == "inductor" and not shutil.which("g++"):
        skip("what inductor compiles", "no g++: inductor cannot compile")
        continue
    with Cdbg(PROGRAM, backend, "grad", limit=300, env={"TORCHINDUCTOR_FX_GRAPH_CACHE": "0",
                                                        "TORCHINDUCTOR_AUTOGRAD_CACHE": "0"}) as d:
        first, inner, last = (d.line_of(t) for t in ("# first", "# in helper", "# last"))
        d.do("break f")
        d.go()
        d.go()
        got = lines(d)
        if backend == "eager":
            is_(dict(got), {"matmul": first, "a": first, "cos": inner, "b": inner, "sum_1": last, "mean": last, "add": last, "output": last},
                "the line of each node (%s)" % backend)
        else:
            ok(got and {line for _, line in got} >= {first, last} and {line for _, line in got} <= {first, inner, last},
               "the line of each node or kernel (%s)" % backend, str(got))
        if backend == "aot_eager":
            d.do("catch backward")
            d.go()
            got = lines(d)
            ok(got and inner in {line for _, line in got} and all(isinstance(line, int) for _, line in got),
               "the lines of the forward pass in the backward graph", str(got))

status, out, err = run(PROGRAM, "eager", "none", commands=["break f", "continue", "continue", "stepg", "step", "step", "list", "bt",
                                                           "delete", "continue"], limit=200)
like(out, r"forward at <eval_with_key>\S* \[graph, node cos, \S*prog\.py:\d+\]", "plain: the stop names the node and its place")
like(out, r"\n\s+\d+\s+->\s+return torch\.cos\(a\) \* 2 +# in helper\n\s+\d+\s+=>\s+cos = torch\.cos\(a\)",
     "... shows the program's line, and that of the graph below it")
like(out, r"(?s)def helper\(a\):\n.*->\s+return torch\.cos\(a\) \* 2 .*\n.*def f\(x, w\)", "list shows the lines around it")

with Screen(PROGRAM, "eager", "none", options=["-q", "-ex", "break f", "-ex", "continue", "-ex", "continue"], limit=200) as s:
    s.settled().see("graph call")
    s.stopped("stepg", "forward")
    for line, steps in ((first, 2), (inner, 2), (last, 0)):
        like(s.text, r"\n\W*▶ +%d " % line, "80x24: the source pane marks line %d" % line)
        for _ in range(steps):
            s.stopped("step", "forward")
done()
