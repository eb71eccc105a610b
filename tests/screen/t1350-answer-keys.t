#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# An open answer does not hold up typing: a letter that does nothing in it begins the next command.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

PROGRAM = script('''
    def work(n):
        return n + 1


    exec("class Late:\\n    def forward(self, n):\\n        return n\\n")
    print(Late().forward(work(1)))
''', "walk.py")


def type_keys(s, text):
    for c in text:
        s.keys(c)


for rows, cols in (24, 80), (40, 120):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"]) as s:
        s.line("b Late.forward")
        like(s.text, r"^breakpoint 1 is pending: no module 'Late' and no function 'Late.forward' yet\s*$",
             size + "a pending breakpoint is one line")
        like(s.prompt, r"^\(cdbg\)$", size + "and the prompt has the keys")
        s.stopped("c", "breakpoint 1")
        s.line("help")
        like(s.text, r"^\[answer\] help", size + "a long answer is open")
        s.keys("j")
        like(s.text, r"^\[answer\] help", size + "a letter that scrolls it leaves it open")
        type_keys(s, "print 6*7")
        unlike(s.text, r"\[answer\]", size + "a letter that does nothing there closes it")
        like(s.prompt, r"^\(cdbg\) print 6\*7$", size + "and is the first of the next command")
        s.keys("\r")
        like(s.text, "^42$", size + "which runs")
        s.line("print '\\n'.join('row %d' % k for k in range(7))")
        s.keys("\x1ba")
        like(s.text, r"^\[answer\] ", size + "an answer that is all in sight is open")
        type_keys(s, "list work")
        like(s.prompt, r"^\(cdbg\) list work$", size + "a letter that would scroll begins a command, too")
        s.keys("\x03").keys("\x1ba").keys("é")
        like(s.prompt, r"^\(cdbg\) é$", size + "so does one that is not ASCII")
        s.keys("\x03").keys("\x1ba").keys("\x1b[200~print 5*5\x1b[201~")
        like(s.prompt, r"^\(cdbg\) print 5\*5$", size + "and pasted text")
        s.keys("\x03").keys("\x1ba").keys("/").keys("row\r")
        like(s.text, r"^\[answer\] ", size + "/ searches it")
        s.keys("q")
        like(s.prompt, r"^\(cdbg\)$", size + "q closes it")
        s.line("focus asm").keys("v")
        like(s.text, r"^\[answer\] row \d+ of asm", size + "a row of a pane is shown in full")
        s.keys("s")
        like(s.prompt, r"^\(cdbg\) s$", size + "a letter there is typed at the prompt, too, and steps nothing")
        s.keys("\x03").keys("\x1bOP").keys("n")
        like(s.prompt, r"^\(cdbg\) n$", size + "and one in help")
done()
