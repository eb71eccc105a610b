#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Graph breaks that are errors (fullgraph=True), and what is reported about a function while it is compiled.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = '''
import torch
def inner(x):
    print("hello")                                      # broken
    return x + 1
def whole(x):
    y = x.sin()
    return inner(y)                                     # calls
def branch(x):
    if x.sum() > 0:                                     # branches
        return x + 1
    return x - 1
def partly(x):
    y = x + 1
    torch._dynamo.graph_break()                         # explicit
    return y * 2
def fine(x):
    return x + 1
def backend(gm, inputs):
    raise RuntimeError("no backend")
def call(f, x, **how):
    try:
        torch.compile(f, **{"backend": "eager", **how})(x)
        print(f.__name__, "ran")
    except Exception as e:
        print(f.__name__, type(e).__name__)
x = torch.ones(3)
call(whole, x, fullgraph=True)
call(branch, x, fullgraph=True)
call(partly, x)
call(fine, x, fullgraph=True)
call(fine, torch.ones(2, 2), fullgraph=True, backend=backend)
call(whole, x)
end = 1
'''

path = script(PROGRAM)
at = lambda text: line_of(path, "# " + text)

# ---- caught ------------------------------------------------------------------------------------------------------------
with Cdbg(path) as d:
    d.do("catch graph-break")
    stop = d.go()
    is_((stop.get("reason"), stop.get("frame", {}).get("function")), ("graph-break", "whole"),
        "catch graph-break stops at a break under fullgraph=True")
    detail = stop.get("detail") or {}
    is_((detail.get("line"), [s["line"] for s in detail.get("stack", [])]), (at("broken"), [at("calls"), at("broken")]),
        "with the line, and the way to it")
    is_(detail.get("nodes"), 2, "and the nodes so far")
    is_([n["node"] for n in d.rows("info graph")], ["l_x_", "y"], "which info graph shows")
    like(detail.get("reason"), "builtin", "and the reason")
    is_(detail.get("state"), "failed", "its state is failed")
    is_(stop["frame"]["line"], at("calls"), "the frame is at the line of the function that is compiled")
    like(d.text("explain whole"), r"is being compiled", "explain says that the function is being compiled")
    unlike(d.text("explain whole"), r"left it as it is", "not that Dynamo left it")
    stop = d.go()
    is_((stop["reason"], stop["frame"]["function"], stop["detail"]["line"]), ("graph-break", "branch", at("branches")),
        "a branch on data under fullgraph=True is caught too")
    stop = d.go()
    is_((stop["frame"]["function"], stop["detail"]["state"]), ("partly", None),
        "a break that is not an error has no state while it is compiled")
    like(d.text("explain partly"), r"This function is being compiled", "explain says the same of a function that breaks")
    unlike(d.text("explain partly"), r"left it as it is", "and nothing else")
    d.do("delete")
    d.do("tbreak %d" % line_of(path, "end = 1"))
    d.go()

    breaks = d.rows("info breaks")
    is_([(b["function"], b["line"], b["state"], b["failed"]) for b in breaks][:3],
        [("whole", at("broken"), "failed", True), ("branch", at("branches"), "failed", True),
         ("partly", at("explicit"), "resumed", False)], "info breaks lists them with their state")
    is_([b["function"] for b in breaks if b["function"] == "fine"], [], "a backend that raises is not a graph break")
    is_([b["state"] for b in breaks if b["function"] == "whole"], ["failed", None],
        "the same function breaks again, and continues, without fullgraph")
    text = d.text("explain branch")
    like(text, r"The graph breaks, which is an error here, at line %d:\n *Data-dependent" % at("branches"), "explain has the line and the reason")
    like(text, r"Hint", "and torch's hints")
    like(text, r"cannot compile", "of a function that it cannot compile")
    text = d.text("explain whole")
    is_((text.count("The graph breaks at line"), text.count("which is an error here, at line")), (1, 1), "each break is reported once, where it belongs")
    d.run_out()
    is_(d.out, bare(path)[1], "the program prints what it prints without cdbg")

# ---- not caught --------------------------------------------------------------------------------------------------------
with Cdbg(path) as d:
    d.go()
    breaks = [b for b in d.rows("info breaks") if b["state"] == "failed"]
    is_([(b["function"], b["line"], b["nodes"], b["entry"]) for b in breaks],
        [("whole", at("broken"), 2, "0/0"), ("branch", at("branches"), 3, "1/0")],
        "without a catchpoint they are listed, with their nodes")

done()
