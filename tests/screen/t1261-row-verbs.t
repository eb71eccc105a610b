#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Commands on the selected row of a pane: what they do, and what they answer where they cannot do it.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

PROGRAM = script('''
    class Point:
        def __init__(self):
            self.x = 1
            self.y = [2, 3]


    def f(n):
        p = Point()
        q = n + 1
        return p, q


    f(4)
''', "rows.py")

with Screen(PROGRAM, rows=40, cols=120, options=["-q"]) as s:
    s.line("break 10")
    s.stopped("continue", "breakpoint")

    def says(line, pattern, name):
        s.line(line)
        like(s.text, pattern, name)
        s.keys("\x1b")

    says("tui row", r"no row of a pane is selected", "tui row at the prompt: no row is selected")
    says("tui fold 3", r"no pane with folds has the focus", "tui fold at the prompt: no pane has the focus")
    says("tui show nonsense 1", r"missing words: 'tui show PANE WORDS'", "tui show of no pane: its form is shown")
    says("tui show output 1", r"missing words: 'tui show PANE WORDS'", "tui show of the program's output: the same")
    s.line("tui show locals p")
    s.line("focus locals").keys("g")
    s.keys("v")
    like(re.sub(r"\s+", " ", s.text), r"row \d+ of locals", "v shows the selected row")
    s.keys("\x1b")
    s.line("focus frames").keys("g")
    s.keys("e")
    like(s.text, r"this row of 'frames' has no value to edit", "e on a frame: the answer is why not")
    s.keys("\x1b")
    s.line("focus breakpoints").keys("g")
    s.keys("e")
    like(s.text, r"\(cdbg\) condition 1", "e on a breakpoint puts its condition on the command line")
    s.keys("\x15")
done()
