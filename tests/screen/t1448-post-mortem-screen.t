#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The record of a killed process in the full screen: what this is, its panes, going back, and what needs a process."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *  # noqa: E402,F403

TEXT = """\
import os

def f(n):
    first = n + 1
    second = first * 2
    os.kill(os.getpid(), 9)
    return second

begin = 1
f(20)
"""
path = script(TEXT)
record = os.path.join(os.path.dirname(path), "record")
died = run(path, options=["-nx", "--plain"], commands=["break %d" % line_of(path, "begin"), "continue", "record -o %s f" % record, "continue"])
is_(died[0], -9, "the program is killed")
with Screen(record, rows=40, cols=120, options=["-nx", "-q", "--post-mortem"]) as s:
    s.see("RECORD of process")
    like(s.text, r"RECORD of process \d+, which is gone: its last instruction", "the status row says what this is")
    like(s.text, r"▶ +6 +os\.kill", "source is at the line of its death")
    like(s.text, r"second +42", "locals have their values")
    s.line("rstep")
    s.see("(cdbg -")
    s.line("rstep")
    like(s.text, r"▶ +5 +second = first \* 2", "rstep goes back line by line")
    like(s.text, r"▶ +\d+ LOAD_FAST\S* +first", "the code of the record is in the pane of instructions")
    unlike(s.text, r"second +42", "and later values are gone")
    s.line("jump 3")
    s.see("it is only")
    like(s.text, r"this is the record of a process that is gone", "what needs a process is refused")
    s.line("quit", wait=False)
    is_(s.ended(), 0, "quit ends with status 0")
done()
