#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Checkpoints in the full screen: its thread is made again, the output pane is as it was.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

PROGRAM = """
import sys
total = 0
for i in range(6):
    print("line", i, flush=True)
    total += i
    x = total
print("the end", total, flush=True)
sys.exit(total)
"""


def back(s, n):
    s.keys("checkpoint go %d\r" % n, wait=False)
    s.see("note: back ")
    s.sent = 0      # another thread counts
    s.settled()


with Screen(PROGRAM, options=["-q"]) as s:
    s.keys("break 6\r")
    s.keys("c\r")
    s.see("line 0")
    s.keys("c\r")
    s.see("line 1")
    s.keys("checkpoint\r")
    s.see("checkpoint go 1")
    s.keys("c\r")
    s.see("line 2")
    s.keys("c\r")
    s.see("line 3")
    s.keys("print(total)\r")
    s.see("6")
    back(s, 1)
    like(s.text, "line 1|6 output ─.* 2 lines", "the output is as it was then")
    unlike(s.text, "line [23]", "without what came after")
    s.keys("print('total', total)\r")
    s.see("total 1")
    like(s.text, "total 1", "so are the variables")
    s.keys("c\r")
    s.see("line 2")
    like(s.text, "line 2", "the program goes on")
    back(s, 2)
    s.keys("print('total', total)\r")
    s.see("total 6")
    like(s.text, "total 6", "the process that was started is taken up again")
    back(s, 1)
    s.keys("delete 1\r")
    s.keys("c\r", wait=False)
    s.see("ended with status 15")
    s.keys("quit\r", wait=False)
    is_(s.ended(), 15, "it ends with the program's status")
    ok(s.sane, "the terminal is as it was", s.after[-300:])
    like(s.after, "the end 15\n", "with the last output")
done()
