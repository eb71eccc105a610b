#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Calls in which the graph breaks and which are then made for real: one stop a call, in the callee; both lines are reported.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = '''
import torch
@torch.compile(backend="eager")
def descend(x, n):
    if n == 0:
        return x
    torch._dynamo.graph_break()
    return descend(x + n, n - 1)
def inner(x):
    y = x * 2                                           # doubles
    torch._dynamo.graph_break()                         # breaks
    return y + 1
def middle(x):
    z = inner(x)                                        # calls inner
    return z * 3
@torch.compile(backend="eager")
def outer(x):
    w = middle(x)                                       # calls middle
    return w - 1
for i in range(2):
    descend(torch.zeros(1), 3)
for i in range(2):
    outer(torch.ones(1))
end = 1
'''

path = script(PROGRAM)
at = lambda text: line_of(path, "# " + text)


def stops(*breaks):
    with Cdbg(path) as d:
        for b in breaks:
            d.do("break " + b)
        found = []
        while d.go()["event"] == "stopped":
            found.append((d.frame["function"], d.frame["line"], d.frame["region"]))
        return found


found = stops("descend")
is_([f for f, _, _ in found], ["descend"] * 8, "break FUNC on a function that calls itself across a break stops once a call")
found = stops("inner")
is_([f for f, _, _ in found], ["inner"] * 2, "a call that three functions are in stops once, in the callee")
found = stops("prog.py:%d" % at("breaks"))
is_([f for f, _, _ in found], ["inner"] * 2, "so does the line at which the graph breaks")
found = stops("prog.py:%d" % at("calls middle"))
is_([f for f, _, _ in found], ["outer"] * 2, "the line that makes the call stops in its own function")

with Cdbg(path) as d:
    d.do("tbreak %d" % line_of(path, "end = 1"))
    d.go()
    entry = [e["entry"] for e in d.rows("info entries") if e["function"] == "outer"][0]
    text = d.text("disassemble " + entry)
    like(text, r"(?m)break .*line %d" % at("calls middle"), "the region of a break in a call has the caller's line")
    b = [b for b in d.rows("info breaks") if b["function"] == "outer"][0]
    is_((b["own_line"], b["line"]), (at("calls middle"), at("breaks")), "info breaks has both, each under its name")

done()
