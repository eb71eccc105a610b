#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# While the program runs, the row of hints names no key that needs a stop, neither of a pane nor of the prompt.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

PROGRAM = script('''
    import time
    while True:
        time.sleep(0.01)
''', "runs.py")


def hints(s):
    return s.text.split("\n")[-1]


for rows, cols in ((24, 80), (40, 120), (60, 200)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"]) as s:
        s.line("focus source")
        like(hints(s), "i instruction  s step  n over  t run to", size + "at a stop the keys of a pane step")
        s.keys("\x1b").line("continue", wait=False).until(lambda: s.row(r"^ running \d"), "the program runs")
        unlike(hints(s), "continue|step|over|instruction", size + "while the program runs, those of the prompt do not")
        like(hints(s), "^ Tab complete .*S-Tab panes  F1 help", size + "the others are there")
        s.keys("\x1b1", wait=False).until(lambda: "keys go to source" in s.prompt, "the pane has the focus")
        unlike(hints(s), "continue|step|over|instruction|run to|finish|region", size + "nor do those of a pane")
        like(hints(s), "/ find  & filter  F1 help  Esc prompt", size + "the others are there, too")
        s.keys("\x1b", wait=False).until(lambda: s.prompt.startswith("(cdbg)"), "the prompt")
        s.keys("\x03", wait=False).until(lambda: s.row("^ stopped: "), "a stop")
        s.settled()
        like(hints(s), "F5 continue", size + "at the next stop they are back")
done()
