#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Where the source pane puts the current line, for functions of many lengths in panes of four heights: the whole function
# is in sight if it fits, else the line is in the middle third, as far as the file goes.
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

seed = int(os.environ.get("CDBG_SEED", "5"))
random.seed(seed)
LENGTHS = (3, 4, 5, 6, 7, 8, 9, 11, 13, 15, 18, 22, 27, 40, 55)
text, place = ["import sys", "class K:", "    pass", ""], {}
for n in LENGTHS:
    text.append("def f%d(x):" % n)
    place[n] = len(text), len(text) + n - 1
    text += ["    x = x + %d" % i for i in range(n - 2)] + ["    return x"] + [""] * random.choice([0, 1, 2, 5])
text += ["for i in range(1000):", "    for g in (%s):" % ", ".join("f%d" % n for n in LENGTHS), "        g(i)"]
text += ["# the end"] * 40
PROGRAM = script("\n".join(text) + "\n", "prop.py")


def wrong(s, first, last, line):
    """What is wrong with where the line is; None: nothing."""
    rows = s.pane("source")[1:]
    current = [i for i, r in enumerate(rows) if "▶" in r]
    numbers = [int(m.group(1)) if m else 0 for r in rows for m in [re.match(r"..? *(\d+)( |$)", r)]]
    if not current:
        return "line %d is not in sight" % line
    if last - first + 1 <= len(rows):
        return None if first in numbers and last in numbers else "lines %d to %d fit, and are not in sight" % (first, last)
    third = len(rows) / 3
    return None if third - 1 <= current[0] <= 2 * third else "line %d is in row %d of %d" % (line, current[0], len(rows))


for rows, cols in ((24, 80), (30, 100), (40, 120), (60, 200)):
    bad, looked = [], 0
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"]) as s:
        for n in LENGTHS:
            first, last = place[n]
            for line in sorted({first + 1, last, random.randint(first + 1, last)}):
                s.line("tbreak prop.py:%d" % line)
                s.stopped("continue", r"prop\.py:%d " % line)
                looked += 1
                if wrong(s, first, last, line):
                    bad.append(wrong(s, first, last, line))
    is_((bad, looked > 30), ([], True), "%dx%d: %d stops, seed %d" % (cols, rows, looked, seed))
done()
