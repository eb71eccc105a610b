#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A stop in another thread names it as `info threads` does.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

PROGRAM = script("""
    import threading


    def load(n):
        return n + 1


    t = threading.Thread(target=load, args=(1,), name="loader")
    t.start()
    t.join()
""", "names.py")

out = run(PROGRAM, commands=["break load", "continue", "info threads", "thread"])[1]
like(out, r"^load at .*names\.py:5 \(thread 2 'loader'\)$", "the plain front end")
like(out, r"^=> +2  loader ", "info threads has that name")
like(out, r"^thread 2 'loader'$", "so does thread")
for rows, cols in ((24, 80), (40, 120), (60, 200)):
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"]) as s:
        s.line("break load").line("continue")
        like(s.row("stopped:"), r"load names\.py:5 · thread 2 'loader'", "%dx%d: the full screen" % (cols, rows))
done()
