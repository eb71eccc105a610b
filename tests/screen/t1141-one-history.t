#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The prompt and the full screen have one editor and one history: what is typed in one is there in the other.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *
from cdbgtest import _folder

UP, CTRL_U = "\x1b[A", "\x15"
home = _folder()
with open(os.path.join(home, ".editrc"), "w") as f:
    f.write("cdbg:bind ^T ed-move-to-beg\n")
with Screen("x = 6\ny = 7\n", options=["-q"], env={"HOME": home}) as s:
    s.line("print 111")
    s.line("tui disable", wait=False).until(lambda: b"->" in s.raw, "the prompt")
    shown, shown_at = s.raw.count(b"print 111"), len(s.raw)
    s.keys(UP + UP + "\r", wait=False).until(lambda: b"\n111\r\n" in s.raw[shown_at:], "the answer")
    is_(s.raw.count(b"print 111"), shown + 1, "a line of the full screen is recalled at the prompt")
    s.keys("print 222\r", wait=False).see("\n222")
    s.keys("22 + 3\x14print 1\r", wait=False).see("\n125")
    ok("125" in s.text, "the prompt has the bindings of ~/.editrc")
    marks = s.marks
    s.keys("tui enable\r", wait=False).until(lambda: s.marks > marks, "the screen")
    s.sent = s.mark[0]                 # what the prompt took no mark counts
    s.keys(UP + UP)
    like(s.prompt, "print 122 \\+ 3", "a line of the prompt is recalled in the full screen")
    s.keys(CTRL_U + "22 + 5\x14print 1\r")
    like(s.text, "^127", "the full screen has the bindings of ~/.editrc")
    s.keys("\x12rint 11")
    like(s.text, "print 111", "and is found by Ctrl-R")
    s.keys("\x1b\x15")
    begun = len(s.raw)
    s.line("tui disable", wait=False).until(lambda: b"->" in s.raw[begun:], "the prompt again")
    begun = len(s.raw)
    s.keys(UP + UP + "\r", wait=False).until(lambda: b"\r\n(cdbg) " in s.raw[begun:].partition(b"127")[2], "the answer")
    ok(b"\n127\r\n" in s.raw[begun:],
       "what was typed between two visits of the prompt is recalled there", repr(s.raw[begun:]))
with open(os.path.join(home, ".cdbg_history")) as f:
    is_([l for l in f.read().splitlines() if l.startswith("print")],
        ["print 111", "print 111", "print 222", "print 122 + 3", "print 122 + 5", "print 122 + 5"], "the file has each of these lines, in order")
done()
