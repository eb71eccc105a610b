#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The full screen at an instruction without a line: the function's line is marked, and each pane is about the frame or names the entry."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
with open(os.path.join(top, "tests/cases/no_line.py"), encoding="utf-8") as f:
    PROGRAM = f.read()
FUNCTION = PROGRAM[:PROGRAM.index("def halved")].count("\n") + 1
LAST = PROGRAM[:PROGRAM.index("print(turn")].count("\n") + 1


def visit(rows, cols):
    size = "%dx%d" % (cols, rows)
    with Screen(script(PROGRAM, "no_line.py"), rows=rows, cols=cols, options=["-q"], limit=40) as s:
        s.line("break %d" % LAST)
        s.stopped("continue", "breakpoint")
        s.stopped("continue", "breakpoint")
        like(s.text, r"graph  entry \d/\d (halv|befo)", "%s: at the module the graph's title names function and entry" % size)
        s.line("delete 1")
        s.line("tbreak 1/0@outputs")
        s.stopped("continue", "breakpoint")
        like(s.text, r"▶ +%d def halved" % FUNCTION, "%s: the line of the function is marked" % size)
        unlike(s.text, r"Generated code has", "... the first lines of the file are not shown for it")
        like(s.row(r"^ stopped: "), r"no_line\.py:%d \(no line of its own\)" % FUNCTION, "... and the status line says that the instruction has none")
        like(s.text, r"asm  entry 1/0 halv", "... the code is the entry's")
        like(s.text, r"guards  entry 1/0", "... the guards, too")
        like(s.text, r"graph  __compiled_fn_\d+ ─+ \d+ nodes", "... and the graph")
        like(s.text, r"total .*rows \* 2", "... which has its nodes")
        s.line("up")
        like(s.text, r"graph  entry \d/\d (halv|befo)", "%s: in the frame of the module the graph's title names function and entry" % size)
        like(s.text, r"guards  \d+ entries", "... the guards are those of all entries")
        unlike(s.row(r"^ stopped: "), "no line of its own", "... and the line of the call is its own")


visit(40, 120)
visit(24, 80)
done()
