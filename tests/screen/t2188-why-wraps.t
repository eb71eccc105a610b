#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The pane why shows why the program stopped in full: its lines are wrapped at words for the width that the pane has.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *
need_torch()

PROGRAM = script('''
    import torch
    def inner(y):
        if y.mean() > 0:
            return y + 1
        return y - 1
    @torch.compile(backend="eager", dynamic=False)
    def f(x):
        y = x * 2
        z = inner(y)
        return z * 3
    f(torch.ones(3))
    f(torch.ones(4))
''', "wraps.py")



def read(s):
    """The pane's text, from its first row to its last."""
    s.keys("g")
    seen = []
    for _ in range(40):
        for line in s.pane("why")[1:]:
            line = line[3:].rstrip()
            if line != "text" and line not in seen:
                seen.append(line)
        before = s.text
        s.keys("\x1b[6~")
        if s.text == before:
            break
    return seen


with Screen(PROGRAM, rows=24, cols=80, options=["-q"], limit=120) as s:
    s.line("catch graph-break f").line("catch recompile f")
    s.stopped("continue", "graph")
    s.keys("\x1b").line("focus why")
    for rows, cols in ((24, 80), (40, 120), (60, 200)):
        size = "%dx%d: " % (cols, rows)
        s.resize(rows, cols)
        s.settled()
        text = read(s)
        is_([line for line in text if "…" in line], [], size + "graph break: no row of the pane is cut")
        like(" ".join(" ".join(text).split()), r"Explanation: Detected data-dependent branching .* Dynamo does not support tracing dynamic control flow",
             size + "and all of it is there")
    s.keys("\x1b")
    s.stopped("continue", "recompile|compiles again")
    s.keys("\x1b").line("focus why")
    for rows, cols in ((60, 200), (40, 120), (24, 80)):
        size = "%dx%d: " % (cols, rows)
        s.resize(rows, cols)
        s.settled()
        text = read(s)
        is_([line for line in text if "…" in line], [], size + "recompile: no row of the pane is cut")
        like(" ".join(" ".join(text).split()),
             r"compiles again as .* changed: \S+ is f32\[4\] cpu, expected f32\[3\] cpu remedy: .*dynamic.* entry \d/\d, guard \d+: .*made by: wraps\.py:\d+",
             size + "entry, guard, expected, actual, line and remedy are in it")
    s.keys("g/remedy\r")
    like(s.at, r"remedy:", "a search finds its rows")
done()
