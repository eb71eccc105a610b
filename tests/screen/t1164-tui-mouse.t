#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The mouse: borders that are dragged, hints that are clicked.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

PROGRAM = "def f(n):\n    a = n + 1\n    return a\n\n\nfor i in range(3):\n    print(f(i))\n"


def press(y, x):
    return "\x1b[<0;%d;%dM" % (x + 1, y + 1)


def move(y, x):
    return "\x1b[<32;%d;%dM" % (x + 1, y + 1)


def release(y, x):
    return "\x1b[<0;%d;%dm" % (x + 1, y + 1)


def title(s, name):
    """Where the title of a pane begins: row and column."""
    for y, line in enumerate(s.text.split("\n")):
        m = re.search(r"[\[ ](\d )?%s[\] ]" % name, line)
        if m and "─" in line:
            return y, m.start()


def hint(s, text):
    return s.rows - 1, s.text.split("\n")[-1].index(text)


for rows, cols in ((24, 80), (40, 120), (60, 200)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"]) as s:
        y, x = title(s, "asm")
        s.keys(press(y + 2, x - 1) + move(y + 2, x - 3)).keys(move(y + 2, x - 6) + release(y + 2, x - 6))
        is_(title(s, "asm"), (y, x - 5), size + "a border between panes beside each other is dragged")
        like(s.prompt, r"^\(cdbg\)", size + "which takes no focus")
        y, x = title(s, "stack")
        s.keys(press(y, x + 12) + move(y - 1, x + 12) + move(y - 2, x + 12) + release(y - 2, x + 12))
        is_(title(s, "stack"), (y - 2, x), size + "a title is dragged up")
        s.keys(press(y - 2, x + 12) + move(y - 2, x + 14) + release(y - 2, x + 14))
        is_(title(s, "stack"), (y - 2, x), size + "a click on a title moves nothing")
        s.keys(press(y - 2, x + 12) + move(0, x + 12) + move(rows - 1, x) + move(y, x) + release(y, x))
        is_(title(s, "stack"), (y, x), size + "however far outside the mouse was meanwhile")
        s.keys("\x1b")
        s.resize(rows - 1, cols).resize(rows, cols)
        is_(title(s, "stack"), (y, x), size + "the size is kept when the terminal's changes")
        s.line("focus source")
        s.keys(press(*hint(s, "i instruction")) + release(*hint(s, "i instruction")))
        like(s.row("stopped:"), "step|instruction", size + "a hint is clicked: its key is pressed")
        s.keys(press(*hint(s, "Esc prompt")) if "Esc prompt" in s.text else "\x1b")
        like(s.prompt, r"^\(cdbg\)", size + "Esc, too")
        s.keys(press(*hint(s, "F1 help")))
        like(s.text, r"^\[.*help", size + "and F1")
        s.keys("q").keys("\x1b").line("delete").line("continue").see("the program ended").ready()
        s.keys(press(*hint(s, "quit leaves")), wait=False)
        is_(s.ended(), 0, size + "after the end a click on quit leaves")
done()
