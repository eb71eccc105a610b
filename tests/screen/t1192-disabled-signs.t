#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A disabled breakpoint has a hollow sign in the panes source and asm; an enabled one on the same line prevails.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

PROGRAM = script('''
    def f(x):
        y = x + 1
        return y
    print(f(1))
''', "off.py")
ON, OFF = "●", "○"


def line(s, n):
    return next((r for r in s.pane("source") if " %d " % n in r[:6]), "")


for rows, cols in ((24, 80), (40, 120), (60, 200)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"]) as s:
        s.line("break 2")
        is_(line(s, 2)[:1], ON, size + "a breakpoint has its sign in the pane source")
        is_(line(s, 3)[:1], " ", size + "a line without one has none")
        s.line("disable 1")
        is_(line(s, 2)[:1], OFF, size + "a disabled one has a hollow sign")
        s.line("break 2")
        is_(line(s, 2)[:1], ON, size + "an enabled one on the same line prevails")
        s.stopped("continue", "breakpoint")
        s.line("delete 2")
        like("\n".join(s.pane("asm")), OFF + "▶ +2 ", size + "the pane asm has the sign, too")
        s.keys("\x1bOP")
        s.keys("/disabled").keys("\r")
        like(s.text, OFF + "  breakpoint that is disabled", size + "the help of the pane explains it")
done()
