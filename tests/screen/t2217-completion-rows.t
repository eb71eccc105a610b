#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Each row of the menu says what it is: numbers of breakpoints, functions, and regions of a name that several methods have;
# the plural is suggested for a view named in the singular.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
PROGRAM = script('''
    import torch


    class A:
        @torch.compile(backend="eager")
        def run(self, x):
            return x * 2


    class B:
        @torch.compile(backend="eager")
        def run(self, x):
            y = x + 2
            torch._dynamo.graph_break()
            return y


    def both():
        return A().run(torch.ones(4)), B().run(torch.ones(4))


    both()
    done = True
''', "rows.py")

for rows, cols in ((24, 80), (40, 120)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"], limit=120) as s:
        s.line("break 23").line("continue", wait=False).see("stopped: breakpoint").settled()
        s.line("catch exception ValueError").line("disable 2")
        for command in "disable", "delete", "condition", "ignore":
            s.keys(command + " \t")
            like(s.text, r" 1 +rows\.py:23", size + command + ": a breakpoint says where it is")
            like(s.text, r" 2 +exception ValueError, disabled", size + command + ": a catchpoint, what it catches")
            s.keys("\x1b").keys("\x03")
        s.keys("break run@\t")
        like(s.text, r"run@graph call +[AB]\.run and others, line", size + "regions of methods with one name")
        like(s.text, r"run@break +B\.run and others, line", size + "also those that only one has")
        s.keys("\x1b").keys("\x03").keys("break A.run@\t")
        like(s.text, r"A\.run@graph call +line", size + "regions of one method")
        s.keys("\x1b").keys("\x03").keys("explain \t")
        like(s.text, r" run +[AB]\.run, rows\.py:\d+", size + "a function says where it is")
        like(s.text, r" torch_dynamo_resume_in_run_at_\d+ +continues B\.run at line 14", size + "a resume function, what it continues")
        s.keys("\x1b").keys("\x03").line("info entry")
        like(s.text, "unknown view 'entry'; did you mean 'entries'", size + "the plural is the nearest name")
done()
