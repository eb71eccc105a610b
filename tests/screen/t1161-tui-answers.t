#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# What the full screen says by itself: the start card, long answers over the panes, the selected row in full, the menu of
# completions, the source of the selected frame, and what stays after the program's end.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

METHODS = script('''
    class C:
        pass


    class A:

        def run(self, n):
            word = "one\\ntwo"
            long_name = "a value that is much longer than the column it is in, to its very end"
            c = [n, 2]
            return c[0]


''' + "\n" * 40 + '''
    class B:
        def __init__(self):
            self.a = A()

        def run(self, n):
            return self.a.run(n)


    print(B().run(3))
''', "methods.py")
ESC, BACK = "\x1b", "\x1b[Z"


def arrow(s):
    """The source pane's current row: its place among the rows, and the text."""
    rows = s.pane("source")[1:]
    for i, row in enumerate(rows):
        if "▶" in row[:3]:
            return i, len(rows), row
    return -1, len(rows), ""


for rows, cols in ((24, 80), (40, 120), (60, 200)):
    size = "%dx%d: " % (cols, rows)
    with Screen(METHODS, rows=rows, cols=cols, options=["-q"]) as s:
        like(s.text, "Find graph breaks ", size + "the start names what to begin with")
        for task in ("Type, then F5:", "catch graph-break", "catch recompile", "catch nan", "break FUNC, then F7", "graph compare",
                     "focus guards, Space"):
            like(s.text, re.escape(task), size + task)
        s.line("break 8")
        s.line("continue")
        i, n, text = arrow(s)
        like(text, "▶ +8 ", size + "the source pane shows the line of a method")
        ok(any(re.search(r" 7 .*def run", r) for r in s.pane("source")) and
           any(re.search(r" 11 .*return c", r) for r in s.pane("source")), size + "and the whole method, which fits", s.text)
        s.line("up")
        like(arrow(s)[2], r"▶ +\d+ +return self\.a\.run\(n\)", size + "up shows the caller's line")
        s.line("focus source")
        s.keys("jjj").keys(ESC)
        s.line("down")
        like(arrow(s)[2], "▶ +8 ", size + "down the method's again, also where the pane was scrolled by hand")
        s.line("next").line("next").line("next")
        s.line("focus asm")
        for _ in range(8):
            if not s.row(r"▶ +\d+ BINARY_(SUBSCR|OP\b)"):     # BINARY_OP [] from CPython 3.14 on
                s.keys("i")
        like(s.text, r"^BINARY_(SUBSCR|OP)[^│]*: pops c \(\[3, 2\]\), 0; pushes 3", size + "the detail line shows what an instruction takes and pushes")
        s.keys(":").line("focus locals")
        s.keys("g")
        for _ in range(4):
            if "long_name" not in s.at:
                s.keys("j")
        like(s.text.replace("\n", " "), "much longer than the column it is in, to its +very end", size + "the selected row is shown in full")
        s.keys(ESC)

        s.line("info cdbg")
        s.line("help")
        like(s.text, r"^\[answer\] help ─+ 1-\d+/\d+ ─", size + "a long answer opens at its first line")
        s.keys(" ")
        like(s.text, r"^\[answer\] help ─+ \d\d-\d+/\d+ ─", size + "Space goes a page on")
        s.keys("/").keys("finish")
        like(s.prompt, r"^/finish +/finish  1/\d", size + "it can be searched")
        s.keys("\r").keys("q")
        unlike(s.text, r"\[answer\]", size + "q closes it")
        like(s.prompt, r"^\(cdbg\)$", size + "and the prompt has the keys")
        s.keys(ESC + "a")
        like(s.text, r"^\[answer\] help ", size + "M-a opens it again")
        s.keys("n")
        unlike(s.text, r"\[answer\]", size + "a letter without a meaning there closes it")
        like(s.prompt, r"^\(cdbg\) n$", size + "and is typed at the prompt")
        s.keys("\x03").keys(ESC + "a").keys(ESC + "k")
        like(s.text, r"\[\d answer-1\] help", size + "M-k keeps it as a pane")
        s.keys(ESC)

        s.keys("info \t")
        like(s.text, r"breakpoints +\S", size + "Tab opens a menu with descriptions")
        s.keys("\t\t").keys("\x1b[B").keys(ESC)
        like(s.prompt, r"^\(cdbg\) info$", size + "Esc closes it and leaves the line as it was")
        s.keys("\x03")
        s.keys("info thr\t").keys("\x03")
        s.keys("set hi\t").keys("\t").keys("\t").keys("\r")
        like(s.prompt, r"^\(cdbg\) set history-size$", size + "Enter takes the chosen one")
        s.keys("\x03")
        s.keys("break methods.py:\t")
        like(s.text, r"methods\.py:5 +class A:", size + "after FILE: the lines have their text")
        s.keys("\x03").keys("\x03")

        s.line("delete 1")
        s.line("continue").see("the program ended with status 0").ready()
        like("\n".join(s.pane("source")), "def run", size + "after the end the last source stays readable")
        like(s.text.split("\n")[-1], "restart runs it again", size + "and the screen offers to restart")
done()
