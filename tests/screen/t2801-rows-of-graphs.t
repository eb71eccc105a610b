#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The menu of actions and the filter in the panes of compiled code: guards, entries, graphs.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
PROGRAM = script('''
    import torch


    @torch.compile(backend="eager")
    def scale(x, n):
        y = torch.sin(x) * n
        return torch.cos(y) + y


    for n in range(1, 4):
        scale(torch.ones(3), 2)
    print("end")
''', "scale.py")
ESC = "\x1b"


def actions(s):
    """Key and command of each row of the open menu."""
    lines = s.text.split("\n")
    y = next((i for i, l in enumerate(lines) if l.startswith("action:")), None)
    out = []
    while y and s.screen.buffer[y - 1][1].bg in ("444444", "87afd7"):
        y -= 1
        m = re.match(r" (\S*) +(.*?)(?:  |$)", lines[y])
        out += [m.groups()] if m else []
    return out[::-1]


def title(s, pane):
    return s.row(r"(?:^|[│┤])[\[ ](?:\d )?%s[\] ]" % pane)


for rows, cols in (24, 80), (40, 120):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"], limit=120) as s:
        s.line("break scale").stopped("continue", "breakpoint")
        s.stopped("continue", "breakpoint")
        s.line("focus guards").keys("z")
        s.keys("&").keys("TENSOR_MATCH\r")
        like(title(s, "guards"), r"&TENSOR_MATCH 1 of \d+", size + "guards can be filtered by kind")
        s.keys("g").keys("m")
        found = actions(s)
        ok(any(k == "Space" and re.fullmatch(r"guard drop \d+", c) for k, c in found), size + "what Space does with a guard is in the menu", found)
        ok(any(k == "" and re.fullmatch(r"guard force \d+", c) for k, c in found), size + "and what has no key", found)
        s.keys("guard drop\r")
        like(s.row("TENSOR_MATCH"), "⊘|dropped", size + "the action is done on the row that the filter left")
        s.keys("m").keys("restore\r")
        s.keys("&\r").keys("z")
        s.keys(":").line("focus graph")
        s.keys("&").keys("torch\r")
        like(title(s, "graph"), r"&torch 2 of \d", size + "so can nodes by what they call")
        s.keys("g").keys("m")
        found = [c for _, c in actions(s)]
        ok("break node:sin" in found, size + "a node's menu offers a breakpoint on it", found)
        ok(any(c.startswith("graph run __compiled_fn") for c in found), size + "and runs of its graph", found)
        s.keys("node\r")
        like(s.text, "breakpoint 2 at .*sin", size + "which it does")
        s.keys(":").line("stepg").line("stepg")
        like(title(s, "graph"), r"&torch 2 of \d", size + "stepping the graph leaves the filter")
        s.line("focus entries").keys("m")
        found = [c for _, c in actions(s)]
        ok("entry disable 0/0" in found and "entry check 0/0" in found, size + "an entry's menu has its subcommands", found)
        s.keys("entry check\r")
        like(s.text, "0/0", size + "which run")
done()
