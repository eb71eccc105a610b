#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A graph break in nested inlined calls: the caller's line, where the call is made, and the callee's, each named as what it is.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = '''
import torch
def innermost(x):
    y = x * 2
    torch._dynamo.graph_break()         # breaks
    return y + 1
def middle(x):
    z = innermost(x)                    # calls innermost
    return z * 3
def outer(x):
    w = middle(x + 1)                   # calls middle
    return w - 1
def direct(x):
    y = x.sin()
    torch._dynamo.graph_break()         # own break
    return y
outer = torch.compile(outer, backend="eager")
direct = torch.compile(direct, backend="eager")
for i in range(2):
    outer(torch.ones(2))
    direct(torch.ones(2))
end = 1
'''

path = script(PROGRAM)
at = lambda text: line_of(path, "# " + text)
WAY = "in middle at prog.py:%d, in innermost at prog.py:%d" % (at("calls innermost"), at("breaks"))

with Cdbg(path) as d:
    d.do("catch graph-break -r")
    stop = d.go()
    is_((d.frame["function"], d.frame["line"], d.frame["region"]), ("outer", at("calls middle"), "break"),
        "the stop at the break has the line that makes the call")
    is_(d.frame.get("inner"), WAY, "and beside it the way to the break")
    row = [r for r in d.rows("info frames") if r["function"] == "outer"][0]
    is_((row["line"], row["inner"]), (at("calls middle"), WAY), "info frames has both")
    like(d.text("bt"), r"outer at \S*prog\.py:%d \[generated 0/0, break %s\]" % (at("calls middle"), WAY), "bt has both")
    like(d.text("disassemble"), r"break +[A-Z]+ .* line %d +breaks %s; t" % (at("calls middle"), WAY),
         "disassemble has both, and says which is which")
    row = [r for r in d.rows("info asm") if r["what"] == "break"][0]
    is_((row["line"], row["inner"]), (at("calls middle"), WAY), "info asm has both")
    like(row["arg"], "breaks " + WAY, "its heading describes it")
    while d.frame["function"] != "direct":
        d.go()
    is_((d.frame["line"], d.frame.get("inner")), (at("own break"), None), "a break of the function's own has one line")
    unlike(d.text("disassemble"), "breaks in", "and nothing else beside it")
done()
