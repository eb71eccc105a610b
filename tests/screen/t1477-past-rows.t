#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The past in the full screen: each pane says so in a row below its title; function keys go back, and are in the help."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *  # noqa: E402,F403

TEXT = """\
def inner(k):
    return k * 2

def f(n):
    first = n + 1
    second = inner(first)
    return second

begin = 1
f(20)
end = 1
"""
F7, F8, F10, F12, F5, F6 = ("\x1b[%d;2~" % n for n in (18, 19, 21, 24, 15, 17))
for rows, cols in ((24, 80), (50, 200)):
    size = "%dx%d: " % (cols, rows)
    with Screen(script(TEXT), rows=rows, cols=cols, options=["-q"]) as s:
        s.line("tbreak 9")
        s.line("continue")
        s.line("record f inner")
        s.line("tbreak 11")
        s.line("continue")
        s.see("11 end = 1")
        unlike(s.text, "PAST", size + "the present has no such row")
        s.keys(F10)
        s.see("(cdbg -2)")
        panes = [l for l in s.text.splitlines() if "PAST -2" in l]
        ok(len(panes) >= 3, size + "S-F10 steps back, and the panes say so", s.text)
        if cols == 200:
            like(s.text, r"PAST -2 instructions \(call 1 of f, [\d.]+ \w+ ago\): read-only, 'now' returns", size + "... at length where there is room")
        s.keys(F7)
        s.see("(cdbg -3)")
        like(s.text, r"\(cdbg -3\)", size + "S-F7 goes back one instruction")
        s.keys(F8)
        s.see("inner", "(cdbg -")
        s.keys(F12)
        s.line("break 5")
        s.keys(F5)
        s.see("first = n + 1")
        s.keys(F6)
        s.until(lambda: "PAST" not in s.text, "the present")
        unlike(s.text, r"PAST", size + "S-F6 returns, and the rows are gone")
done()
