#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Help on keys and panes: nothing of it is cut, whatever the width; what a key does continues below where it begins.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *


def pages(s):
    """All rows of the help."""
    out = []
    for _ in range(40):
        rows = s.pane("help")[1:]
        out += rows if not out or rows != out[-len(rows):] else []
        before = s.text
        s.keys("\x1b[6~")
        if s.text == before:
            return out
    return out


for rows, cols in ((24, 80), (20, 60), (40, 120), (60, 200)):
    size = "%dx%d: " % (cols, rows)
    with Screen("pass\n", rows=rows, cols=cols, options=["-q"]) as s:
        for where in "", "asm", "guards", "output":
            if where:
                s.line("focus " + where)
            s.keys("\x1bOP")
            text = pages(s)
            is_([r for r in text if "…" in r], [], size + "no row of the help on %s is cut" % (where or "the command line"))
            flat = re.sub(r"\s+", " ", " ".join(text))
            like(flat, r"q closes this, Esc goes to the command line; / searches, C-n and C-p go to other matches\.", size + "its first sentence is whole")
            like(flat, "s step step a line, or a region of generated code", size + "and what a key does")
            below = text[next(i for i, r in enumerate(text) if re.match(r" +s +step ", r)) + 1]
            ok(re.match(" {38,}\\S" if cols < 90 else " +n ", below), size + "which continues below where it begins", below)
            s.keys("\x1b\x1b")
            if where == "output":
                s.keys("\x1b")
done()
