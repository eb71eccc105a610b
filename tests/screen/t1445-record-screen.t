#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The past in the full screen: the status row and the prompt say so, and the panes show the program as it was."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *  # noqa: E402,F403

TEXT = """\
def f(n):
    first = n + 1
    second = first * 2
    return second

begin = 1
f(20)
end = 1
"""
with Screen(script(TEXT), rows=40, cols=120, options=["-q"]) as s:
    s.line("tbreak 6")
    s.line("continue")
    s.line("record f")
    s.line("break 8")
    s.line("continue")
    s.line("rstep")
    s.see("PAST -2 instructions")
    s.line("rstep")
    s.see("(cdbg -6)")
    like(s.text, r"PAST -\d+ instructions \(call 1 of f, .* ago\): read-only, 'now' returns", "the status row says that it is the past")
    like(s.text, r"\(cdbg -\d+\)", "and the prompt, how far back")
    like(s.text, r"first +21", "the pane of locals has the value of then")
    unlike(s.text, r"second +42", "and none of later")
    like(s.text, r"▶ +3 +second = first \* 2", "source is at the line of then")
    s.line("now")
    s.see("(cdbg) ")
    unlike(s.text, r"PAST", "now returns to the present")
    like(s.text, r"8 end = 1", "which is shown")
done()
