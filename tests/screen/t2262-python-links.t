#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The python pane and the others mark each other's rows; each line has the region and the user's line of what it does.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
PROGRAM = script('''
    import torch

    seen = []


    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.factor = 2.0

        def forward(self, a, b):
            x = a / (torch.abs(a) + 1)
            seen.append(x)
            y = x * self.factor
            if y.sum() < 0:
                b = b * -1
            return (y + b).relu()


    net = torch.compile(Net(), backend="eager")
    for _ in range(3):
        net(torch.ones(3), torch.ones(3))
''', "net.py")

with Cdbg(PROGRAM, limit=120) as d:
    d.do("break forward@break")
    d.go()
    rows = d.rows("decompile")
    by = {re.sub(r"_\d+", "", r["text"].strip()): r for r in rows}


    def fact(text):
        return [(r["region"], r["user_line"]) for t, r in by.items() if t.startswith(text)]


    is_(fact("graph_out ="), [("graph call", 12)], "the call of the graph")
    is_(fact("y ="), [("outputs", 14)], "an output has the line of the node that computes it")
    is_(fact("if graph_out"), [("break", 15)], "the branch is the break, at its line, not the outputs that it tests")
    is_(fact("return __resume_at"), [("resume call", 17)], "a resume function is called in its region")
    ends = [(r["index"], r["end"]) for r in rows if r["index"] is not None and not r["text"].lstrip().startswith("#")]
    ok(all(a[1] <= b[0] for a, b in zip(ends, ends[1:])), "an instruction belongs to one line", ends)
    line = {t: r["line"] for t, r in by.items()}

CLOSURE = script('''
    import torch


    def make(k):
        @torch.compile(backend="eager")
        def inner(x, scale):
            y = x * k
            torch._dynamo.graph_break()
            return y + scale * k
        return inner


    make(3)(torch.ones(2), torch.ones(2))
''', "closure.py")
with Cdbg(CLOSURE, limit=120) as d:
    d.do("break inner@break")
    d.go()
    text = d.text("decompile")
    like(text, r"(?m)^ +y = graph_out_0\[0\]$", "a value is named after the argument of a resume function that has free variables")
    like(text, r"__resume_at_\w+\(.*\)\(\[\], \[\], .*\by\b", "and passed by that name")

for size, lines, cols in (("80x24: ", 24, 80), ("120x40: ", 40, 120)):
    with Screen(PROGRAM, rows=lines, cols=cols, options=["-q"], limit=120) as s:
        s.line("tui new-layout py {source 1 python 1} 3 {asm 1 graph 1} 3 output 1")
        s.line("set step-mode python").line("break forward@break")
        s.stopped("continue", "breakpoint")
        s.line("layout py")


        def marked(pane, text):
            """Is the row with this text marked as belonging to the row that is selected?"""
            rows = [l for l in s.pane(pane)[1:] if re.search(text, l)]
            return bool(rows) and bool(re.match(r"[●▶▹ ]*[·↑↓]", rows[0]))


        def choose(pane, text):
            s.keys("\x1b").line("focus " + pane).keys("/").keys(text + "\r")


        choose("python", "y = graph_out")
        ok(marked("source", r"y = x \*"), size + "an output marks the line that computes it", s.text)
        ok(marked("graph", r"x \* 2"), size + "and the node, though neither names the other")
        ok(not marked("graph", r"y\.sum"), size + "and no other node")
        choose("python", "if graph_out")
        ok(marked("source", r"if y\.sum") and marked("graph", r"y\.sum"), size + "the branch marks its line and nodes", s.text)
        below = any(re.match(r"[●▶▹ ]*↓", l) for l in s.pane("asm"))  # from CPython 3.13 on TO_BOOL comes first
        ok(marked("asm", r"\d POP_JUMP") or below, size + "and its instruction", s.text)
        choose("graph", "x * 2")
        above = any(re.match(r"[●▶▹ ]*↑", l) for l in s.pane("python"))
        ok(marked("python", r"y = graph_out") or above, size + "a node marks the line that takes it from the graph", s.text)
        ok(not marked("python", r"if graph_out"), size + "and no other")
        choose("source", "if y.sum")
        ok(marked("python", r"if graph_out"), size + "a line of the source marks its decompiled lines", s.text)
        choose("asm", "POP_JUMP_FORWARD_IF_FALSE to")
        ok(marked("python", r"if graph_out"), size + "an instruction marks the one that has it", s.text)
        choose("python", "graph_out_0 = __comp")
        ok(marked("graph", r"x \* 2|y\.sum"), size + "the call of the graph marks its nodes", s.text)
done()
