#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A program that asks for input and stops before it reads any: the keys stay with the command line.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

with Screen('''
    import sys
    sys.stdin = 5
    def ask():
        try:
            input()
        except AttributeError:
            pass
    def work():
        for k in range(20):
            ask()
        n = 4000
        return n
    for k in range(4):
        work()
    raise KeyError("last")
''', options=["-q"]) as s:
    s.line("break 12")
    for k in range(4):
        s.line("continue")
        s.see("stopped: breakpoint 1")
        s.line("print n + %d" % k)
        s.see("%d" % (4000 + k))
    ok("keys go to" not in s.prompt, "the focus is not moved to a program that does not read", s.prompt)
    s.line("continue")
    s.see("uncaught exception")
    s.line("print 5000 + 1")
    s.see("5001")
    ok("keys go to" not in s.prompt, "nor at the end", s.prompt)
done()
