#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The cells that generated code passes on are named in text that is read; text that is run has what Python can run."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from editing import *

need_torch()
PROGRAM = script('''
    import torch
    def made(scale):
        def f(x):
            y = x * scale
            def add(z):
                return z + y
            print("mid")
            return add(x)
        return f
    f = torch.compile(made(3), backend="eager")
    print(f(torch.ones(2)).tolist())
    print("here")
    print(f(torch.ones(2)).tolist())
''', "cells.py")
with Editing(PROGRAM) as d:
    d.do("break %d" % d.line_of('print("here")'))
    d.go()
    text, whole = d.text("decompile 0/0"), d.text("decompile -a 0/0")
    like(text, r"(?s)def add\(z\):\n +return z \+ y\n", "a new function has the variable whose cell it gets")
    like(text, r"return __resume_at_\d+_\d+\(\((cell_of\(\w+\), )*cell_of\(y\),?\)\)\(", "the cell that the resume function gets is named")
    unlike(text, "__closure__", "no lambda is made for its cells")
    unlike(text + whole, r"if 0:", "no line is there only to keep names")
    like(whole, r"\(lambda: y\)\.__closure__\[0\]", "decompile -a has what Python can run")
text = edited(PROGRAM, 12, "0/0", r"^(    graph_out_0 = )", r"    print('edited', (lambda: x.shape[0])())\n\1")
like(text, r"(?s)here\nedited 2\nmid\n\[4\.0, 4\.0\]", "and edited text is compiled with its cells")

WITHIN = script('''
    import torch
    def f(x, n):
        with torch.no_grad():
            y = x + n
            print("within")
        return y * n
    f = torch.compile(f, backend="eager")
    print(f(torch.ones(2), 2).tolist())
    print("here")
    print(f(torch.ones(2), 2).tolist())
''', "within.py")
KEEP = os.path.join(os.path.dirname(WITHIN), "kept")
with open(os.path.join(os.path.dirname(WITHIN), "keep"), "w") as f:
    f.write("#!/bin/sh\ncp \"$1\" %s\n" % KEEP)
os.chmod(f.name, 0o755)
with Editing(WITHIN, env={"EDITOR": f.name, "VISUAL": f.name}) as d:
    d.do("break %d" % d.line_of('print("here")'))
    d.go()
    d.error("code edit -python 0/0")
kept = open(KEEP).read() if os.path.exists(KEEP) else "the editor was not started"
like(kept, r"    try:\n        _t\d+ = .*\('within'\)\n    finally:\n.*\n    return __resume_at_\d+_\d+\(\[\], \[\], ", "text to edit has no list of the frame after a try statement")
text = edited(WITHIN, 10, "0/0", r"^(    return __resume)", r"    print('edited')\n\1")
like(text, r"(?m)^within\nedited\n\[6\.0, 6\.0\]$", "and is compiled to code that does the same")
done()
