#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A stop that a person's Python prompt began: the full screen serves it, and `continue` gives the terminal back to that prompt, each time anew.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *
from cdbgtest import interpreter

folder = os.path.dirname(script("""
import cdbg


def ask(n):
    half = n // 2
    cdbg.breakpoint()
    return half + 1
""", "asked.py"))
with Screen(None, rows=24, cols=80, command=[interpreter(), "-q", "-i"], cwd=folder, wait=False, env={"PYTHON_BASIC_REPL": "1"}) as s:
    at_prompt = lambda: s.text.rstrip().endswith(">>>")
    left = lambda: s.raw.count(b"\x1b[?1049l")            # the full screen was left so often
    s.until(at_prompt, "Python's prompt")
    s.keys("import asked\r", wait=False)
    for n in (82, 84):
        marks, before = s.marks, left()
        s.keys("'half is', asked.ask(%d)\r" % n, wait=False)
        s.until(lambda: s.marks > marks and "(cdbg)" in s.text and s.row(r"^ stopped: "), "a stop")
        like(s.row(r"^ stopped: "), r"breakpoint\(\) · ask asked.py:6", "%d: the full screen shows the stop" % n)
        s.keys("continue\r", wait=False)
        s.until(lambda: "('half is', %d)" % (n // 2 + 1) in s.text and at_prompt(), "the prompt again")
        is_(left(), before + 1, "%d: after continue the terminal is Python's again, with the result of the call" % n)
    s.keys("exit()\r", wait=False)
    is_(s.ended(), 0, "it ends as without cdbg")
    ok(s.sane, "the terminal is as it was")
done()
