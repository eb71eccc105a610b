#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The mouse on rows: a click on a line's number or in the margin before it toggles a breakpoint, one on the text only
# selects, a double click follows, and the wheel scrolls the pane below the pointer wherever the focus is.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

PROGRAM = script("def f(n):\n    a = n + 1\n    return a\n\n\n" + "".join("x%d = f(%d)\n" % (i, i) for i in range(150)), "mouse.py")


def press(y, x, button=0):
    return "\x1b[<%d;%d;%dM" % (button, x + 1, y + 1)


def click(y, x):
    return press(y, x) + "\x1b[<0;%d;%dm" % (x + 1, y + 1)


def find(s, text):
    return next((y, line.index(text)) for y, line in enumerate(s.text.split("\n")) if text in line)


for rows, cols in ((24, 80), (40, 120), (60, 200)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"]) as s:
        y, x = find(s, "a = n + 1")
        number = s.text.split("\n")[y].index("2")
        for column, what in ((0, "the first column"), (number, "its number")):
            s.keys(click(y, column))
            like(s.pane("source")[y], "^ ?●", size + "a click in %s sets a breakpoint" % what)
            s.keys(click(y, column))
            unlike(s.pane("source")[y], "●", size + "another one deletes it")
            s.keys("\x1b")
        s.keys(click(y, x))
        unlike(s.text, "●", size + "a click on the text sets none")
        s.keys("\x1b")
        s.line("break f").stopped("continue", "breakpoint")
        s.line("focus locals").keys("\x1b")
        y, x = find(s, "n ")
        y, x = next((i, line.index("n    0")) for i, line in enumerate(s.text.split("\n")) if "n    0" in line) if "n    0" in s.text else (0, 0)
        if y:
            s.keys(click(y, x) + click(y, x))
            like(s.text, r"(?m)^0$|  0$", size + "a double click on a variable prints it")
            s.keys("\x1b\x1b")
        s.line("layout default").line("up")
        for name in ("source", "asm"):
            before, other = s.pane(name), s.pane("asm" if name == "source" else "source")
            y, x = next((i, m.start()) for i, line in enumerate(s.text.split("\n")) for m in [re.search(r"\d %s " % name, line)] if m)
            s.keys(press(y + 2, x + 6, 65))
            ok(s.pane(name) != before and s.pane("asm" if name == "source" else "source") == other, size + "the wheel scrolls %s alone" % name, s.text)
            like(s.prompt, r"^\(cdbg\)", size + "and takes no focus")
            s.keys(press(y + 2, x + 6, 64))
            is_(s.pane(name)[1:], before[1:], size + "and back")
done()
