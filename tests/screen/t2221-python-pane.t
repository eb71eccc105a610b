#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The python pane: the current line, breakpoints by Space, and steps.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
PROGRAM = script('''
    import torch


    @torch.compile(backend="eager")
    def toy(a, b):
        x = a / (torch.abs(a) + 1)
        if b.sum() < 0:
            b = b * -1
        return x * b


    for _ in range(4):
        toy(torch.ones(3), torch.ones(3))
''', "toy.py")

for rows, cols in ((24, 80), (40, 120)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"], limit=120) as s:
        s.line("set step-mode python").line("break toy@break")
        s.stopped("continue", "breakpoint")
        s.keys("\x1b").line("zoom python").line("focus python")
        pane = s.pane("python")
        like("\n".join(pane), r"▶ .*if graph_out_0\[\d+\]:", size + "the python pane marks the current line")
        s.keys("g").keys("j").keys("j").keys(" ")
        like(s.text, r"breakpoint 2", size + "Space sets a breakpoint on a line of it")
        like("\n".join(s.pane("python")), r"●", size + "which is marked")
        s.keys(" ")
        ok(not re.search("● .*graph_out_0 =", "\n".join(s.pane("python"))), size + "and deletes it")
        s.keys("\x1b").line("next")
        like("\n".join(s.pane("python")), r"▶ .*return __resume_at", size + "the mark follows a step")
        s.line("zoom")
        if rows > 24:
            s.line("layout asm").line("unhide python").line("focus python")
            s.keys("g").keys("j").keys("j")
            like("\n".join(s.pane("asm")), r"graph call", size + "the other panes are shown beside it")
done()
