#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A guard that fails only because the running frame changed its value after the call is marked as such, and is not an error; at a
# recompile the same guard is one.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
CHANGES = script('''
    import torch


    @torch.compile(backend="eager")
    def f(x, d):
        y = x * d["n"]
        d["n"] = 5
        torch._dynamo.graph_break()
        return y + 1


    print(f(torch.ones(4), {"n": 2}))
    print(f(torch.ones(4), {"n": 3}))
''', "changes.py")


def stop(s, line, word):
    marks = s.marks
    s.line(line)
    s.until(lambda: s.marks > marks and re.search(word, s.row(r"^ stopped: ")), "%s: %s" % (line, word))
    return s.ready()


for rows, cols in ((24, 80), (40, 120), (60, 200)):
    size = "%dx%d: " % (cols, rows)
    with Screen(CHANGES, rows=rows, cols=cols, options=["-q"], limit=180) as s:
        s.line("catch resume")
        s.line("catch recompile f")
        stop(s, "continue", "resume|goes on")
        s.line("focus frames")
        like("\n".join(s.pane("frames")), "f|<module>", size + "the pane of frames")
        unlike("\n".join(s.pane("frames")), "eval_frame", size + "it leaves out the library's frames, as a plain backtrace does")
        s.keys("\x1b")
        s.line("up")
        s.line("zoom guards")
        like(s.row("EQUALS_MATCH"), r"EQUALS_MATCH +2 +changed since t(he call|[he ]*…)", size + "a value that the frame changed is marked as changed")
        unlike(s.row("EQUALS_MATCH"), "✗", size + "and not marked as a failure")
        like(s.row("^ guards"), r"\d+ ok, 1 changed", size + "the title counts it apart")
        s.line("focus guards").keys("g/EQUALS_MATCH\r")
        like(s.text, "changed since the call", size + "and can be read in full with the cursor on its row")
        s.keys("\x1b").line("zoom")
        s.line("delete 1")
        stop(s, "continue", "compiles again|recompile")
        s.keys("\x1b")
        s.line("zoom guards")
        like(s.row("EQUALS_MATCH"), r"✗ +\d+ EQUALS_MATCH +2 +3", size + "at a recompile a guard that fails is an error")
done()
