#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Searching rows that are not loaded: keys that come faster than the answers all count, and only text that is on the screen
# is found.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

LINES = ["def long():"] + ["    name_%03d = 'v' * %d" % (i, i) for i in range(400)] + ["    return 0", "", "", "long()", "long()", "done = 1"]
PROGRAM = script("\n".join(LINES) + "\n", "far_down.py")
NEXT, BEFORE = "\x0e", "\x10"


def said(s):
    """What the last command did, at the right of the prompt's row."""
    return s.text.split("\n")[s.rows - 2]


for rows, cols in ((24, 80), (40, 120)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"]) as s:
        s.line("focus source").keys("/name_1")
        like(said(s), r"/name_1  1/100", size + "text that is typed at once is searched to its last letter")
        s.keys(NEXT * 5)
        like(said(s), r"/name_1  6/100", size + "each C-n of five at once is a match further")
        s.keys(BEFORE * 3)
        like(said(s), r"/name_1  3/100", size + "and each C-p one back")
        s.keys(BEFORE * 3)
        like(said(s), r"/name_1  100/100, wrapped to the end", size + "past the first one it says that it wrapped")
        s.keys("\r" + NEXT * 4)
        like(said(s), r"/name_1  4/100", size + "also after Enter")
        like(s.text, r"(?m)^  ?\d+ *name_103 |name_103 = ", size + "the row is in sight")
        s.keys("/far_down")
        like(said(s), r"no match for 'far_down' in source", size + "the name of the file, which is in no row, is not found in each")
        s.keys("\x1b\x1b").line("focus source").keys("n")
        like(s.text, "stopped: step", size + "n is still next")
        s.keys("/name_39")
        like(said(s), r"/name_39  1/10", size + "a search right after a step is not refused")
        s.keys("\x1b\x1b")
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"]) as s:
        for line, word in (("catch exceptin", "exception"), ("layout sorc", "src"), ("set theme drak", "dark"), ("set theme ligth", "light"),
                           ("set colr of", "color"), ("show fork", "follow-fork-mode"), ("show mode", "follow-fork-mode"),
                           ("layout ouput", "output"), ("focus sorce", "source"), ("info localz", "locals"), ("help braek", "break")):
            s.line(line)
            like(s.text, "did you mean '%s'" % word, size + "'%s': the nearest name" % line)
done()
