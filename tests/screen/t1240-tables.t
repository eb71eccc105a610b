#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Panes with tables: each has a row of column names, also without rows; an output pane with nothing new has one row at
# every size, and new output makes room, unless the user sized the pane.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

PROGRAM = script('''
    def f(n):
        one = [n]
        two = {"key": n}
        return len(one) + len(two)


    for i in range(3):
        f(i)
    print("new output")
    f(7)
''', "tables.py")
FIRST = {"asm": "offs", "stack": "slot", "locals": "name", "guards": "guard", "graph": "node", "frames": "level", "breakpoints": "number",
         "display": "number", "threads": "thre", "signals": "signal", "keys": "key", "entries": "entry", "breaks": "break",
         "overrides": "override", "trace": "step", "cost": "entry", "frame": "what"}

for rows, cols in ((24, 80), (40, 120), (60, 200)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"]) as s:
        is_(len(s.pane("output")), 1, size + "an output pane with nothing new has one row")
        s.line("tbreak f")
        s.stopped("continue", "breakpoint")
        is_(len(s.pane("output")), 1, size + "also at the next stop")
        for name, word in FIRST.items():
            s.line("layout default").line("focus " + name).keys("\x1b")
            # the start card covers an empty pane
            if not re.search("Find|Step gen|Edit a", "\n".join(s.pane(name))) and len(s.pane(name)) > 3:
                like(s.pane(name)[1], r"^ +" + word, size + "the pane %s has column names" % name)
        s.line("layout default").line("tbreak 10")
        s.stopped("continue", "breakpoint")
        ok(len(s.pane("output")) > 2 and "new output" in "\n".join(s.pane("output")), size + "new output makes room", s.text)
        s.line("p 1").line("next").line("next")
        s.line("winheight output 5")
        is_(len(s.pane("output")), 5, size + "an output pane that the user sized keeps its rows")
        s.line("layout default")
        is_(len(s.pane("output")), 1, size + "as the layout has it, one row")

# the window is as high as the file has lines: the row that is followed was above it
with Screen("class A:\n    def run(self, n):\n        return n\n\n\n" + "\n" * 50 +
            "class B:\n    def run(self, n):\n        return A().run(n)\n\n\nB().run(3)\n", rows=60, cols=200, options=["-q"]) as s:
    s.line("break 3")
    s.stopped("continue", "breakpoint")
    s.line("up").line("focus source").keys("jjj").keys("\x1b").line("down")
    like("\n".join(s.pane("source")), r"▶ +3 ", "the source follows the frame where the file is as long as the window")
done()
