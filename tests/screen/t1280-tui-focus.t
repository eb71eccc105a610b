#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The focus goes to another pane, or to none, while something is typed or open: no crash, and each pane stays in its place.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

WAIT = script('''
    import os
    import sys
    import time


    def later():
        return 1


    while not os.path.exists(sys.argv[1]):
        time.sleep(0.01)
    later()
''', "wait.py")
WALK = script('''
    def total(n):
        return n


    total(1)
''', "walk.py")
tmp = os.path.dirname(WALK)

go = os.path.join(tmp, "go")
with Screen(WAIT, go, rows=30, cols=100, options=["-q"]) as s:
    s.line("break later").line("help step")
    s.line("continue", wait=False).see("running")
    s.keys("\x1ba", wait=False).see("answer")
    s.keys("/st", wait=False).see("/st")
    open(go, "w").close()
    s.see("stopped: breakpoint 1")
    s.keys("\x7f\x7f\x7f").line("print 6 * 7")
    like(s.text, "42", "a stop that closes an answer in which a search is typed ends the search")

with Screen(WALK, rows=30, cols=100, options=["-q"]) as s:
    s.line("help step")
    like(s.text, "answer", "an answer is open")
    s.keys("\x1bOP")
    like(s.text, "Keys while a pane", "F1 opens the help above it")
    s.keys("q")
    unlike(s.text, "answer is shown", "the help that closes leaves the answer closed: it gets no pane's place")
    s.keys("\x1b")
    for _ in range(3):
        s.line("tui slot next")
    like(s.line("print 6 * 7").text, "42", "and the views of the free place can be changed")

with Screen(WALK, rows=30, cols=100, options=["-q"]) as s:
    s.line("help step").keys("\x1bOS")
    like(s.text, "the key F4 does nothing in a text: q or Esc closes it", "an answer cannot be zoomed: the message names what to do")
    s.keys("q\x1b").line("tui slot next").line("tui slot prev")
    like(s.line("print 6 * 7").text, "42", "and the views of the free place can be changed")

for rows, cols in ((4, 30), (6, 100)):
    with Screen(WALK, rows=30, cols=100, options=["-q"]) as s:
        s.line("help step").resize(rows, cols)
        s.keys("\x1bOP").keys("q").resize(30, 100)
        s.keys("\x1b").line("tui slot next").line("tui slot prev")
        like(s.line("print 6 * 7").text, "42", "help above an answer on a screen of %dx%d changes no pane's place" % (cols, rows))

with Screen(WALK, rows=24, cols=80, options=["-q"]) as s:
    s.keys("\x1bx").keys("bind '").keys("\r")
    like(s.keys("\x03").line("print 6 * 7").text, "42", "M-x and a quote that does not end are not given to libedit's own commands")
done()
