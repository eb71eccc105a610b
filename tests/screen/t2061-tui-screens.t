#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The screens of a compiled function, drawn in tests/screens: at the graph call, at the break, in the resume function;
# and the panes that show what Dynamo did, each alone.
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
TORCH = "2.13"
torch = subprocess.run([interpreter(), "-c", "from importlib.metadata import version; print(version('torch'))"],
                       stdout=subprocess.PIPE, text=True).stdout
if not torch.startswith(TORCH + "."):
    skip_all("drawn with the code and guards of torch %s" % TORCH)
os.chdir(top)
# names that torch makes again in each run, addresses, times
HIDE = [(r"__compiled_fn_\d+_[0-9a-f_]+", "__compiled_fn_N"), (r"0x[0-9a-f]+", "0x0"), (re.escape(top) + "/", ""),
        (r"\d+\.\d+ (s|ms|us)\b", "N s")]


def stop(s, line, *words):
    before = s.marks
    s.line(line)
    s.until(lambda: s.marks > before and s.row(r"^ stopped: ") and all(w in s.row(r"^ stopped: ") for w in words), line)
    return s.settled()


def visit(rows, cols):
    size = "%dx%d" % (cols, rows)
    with Screen("doc/examples/toy.py", rows=rows, cols=cols, options=["-q"], limit=180) as s:
        s.line("tbreak toy_example")
        s.line("catch resume")
        stop(s, "continue", "breakpoint 1")
        s.same("toy-call-" + size, "the graph call at " + size, HIDE)
        stop(s, "step")
        stop(s, "step")
        s.same("toy-break-" + size, "the graph break at " + size, HIDE)
        stop(s, "continue", "resume" if cols < 100 else "resumes")
        s.same("toy-resume-" + size, "the resume function at " + size, HIDE)
        s.line("zoom entries")
        like(s.text, r"entry +function .*\n +0/0 +toy_example +\d+ +1 +2 live", "the pane entries at " + size)
        for name in ("guards", "graph", "breaks", "resume", "graphs", "overrides"):
            s.line("zoom " + name)
            s.same("toy-pane-%s-%s" % (name, size), "the pane %s at %s" % (name, size), HIDE)
        s.line("zoom")


visit(40, 120)
visit(24, 80)
done()
