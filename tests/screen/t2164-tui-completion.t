#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The menu of completions after FUNC@, FILE:, for entries and for guards, each row with what it is.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
PROGRAM = script('''
    import torch


    @torch.compile(backend="eager")
    def f(x, n):
        y = x * n
        print("break")
        return y + 1


    f(torch.ones(4), 2)
    done = True
''', "menu.py")

for rows, cols in ((24, 80), (40, 120), (60, 200)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"], limit=120) as s:
        s.line("break 12").line("continue", wait=False).see("stopped: breakpoint").ready()
        s.keys("break f@\t")
        like(s.text, r"f@graph call +lines? 6.*, .*1 nodes|f@graph call +lines? 6.*nodes", size + "after FUNC@ the menu has the regions of its code, with lines and nodes")
        like(s.text, r"f@break +line 7", size + "the graph break with its line")
        s.keys("\t").keys("\r")
        like(s.prompt, r"^\(cdbg\) break f@[a-z ]+$", size + "Enter takes one")
        s.keys("\x03").keys("break menu.py:\t")
        like(s.text, r"menu\.py:6 +y = x \* n", size + "after FILE: the menu has the lines with their text")
        s.keys("\x03").keys("entry check \t")
        like(s.text, r"0/0 +f, live, 1 graph", size + "entries have their function, state and graphs")
        s.keys("\x03").keys("guard eval \t")
        for _ in range(60):
            if re.search(r"^ *\d+ +(L\['n'\]|n) == 2", s.text, re.M) or "n == 2" in s.text:
                break
            s.keys("\x1b[B")
        like(s.text, r"\d+ +.*n(\W*) == 2", size + "guards by number, with their text")
done()
