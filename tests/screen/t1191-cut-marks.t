#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# What is cut has a mark: long lines of the program's output, and titles of panes and cards.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

PROGRAM = script('''
    def stop():
        raise ValueError("a very long message " + "m" * 300)
    print("short")
    print("\\x1b[31m" + "w" * 300 + "\\x1b[0m")
    print("日本" * 100)
    print("v" * COLUMNS)
    try:
        stop()
    except ValueError:
        pass
''', "cut.py")

for rows, cols in ((24, 80), (40, 120), (60, 200)):
    size = "%dx%d: " % (cols, rows)
    program = script(open(PROGRAM).read().replace("COLUMNS", str(cols)), "cut%d.py" % cols)
    with Screen(program, rows=rows, cols=cols, options=["-q"]) as s:
        s.line("catch exception ValueError")
        s.stopped("continue", "exception")
        is_(s.row(r" answer  ValueError")[-2:], "…─", size + "a title that is cut ends with the mark")
        s.keys("\x1b").line("layout default").line("winheight output 8")
        is_(s.row(r"^short"), "short", size + "a line of output that fits has none")
        is_(s.row(r"^www"), "w" * (cols - 1) + "…", size + "a longer one ends with it")
        is_(s.row(r"^日本")[-1:], "…", size + "one of wide characters, too")
        is_(s.row(r"^vvv"), "v" * cols, size + "one that just fits has none")
done()
