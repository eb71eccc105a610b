#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A stop at a breakpoint that stands for an inlined function, or a line of one, says where that code runs instead.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
PROGRAM = script('''
    import torch


    def inner(y):
        z = y * 3
        return z + 1


    @torch.compile(backend="eager")
    def f(x):
        return inner(x) * 2


    f(torch.ones(4))
    f(torch.ones(4))
    inner(torch.ones(4))
''', "inlined.py")

CALL = next(i for i, line in enumerate(open(PROGRAM), 1) if "return inner(x) * 2" in line)

with Cdbg(PROGRAM) as d:
    d.do("break inner")
    stop = d.go()
    is_(stop["detail"]["note"], "inner is inlined in f: it stops at the graph call of 0/0; its own code would run in line %d" % CALL, "machines get the remark")
    d.go()
    stop = d.go()
    is_((stop["frame"]["function"], stop.get("detail")), ("inner", None), "a call of the function itself has none")

for rows, cols in ((24, 80), (40, 120), (60, 200)):
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"], limit=120) as s:
        s.line("break inner")
        s.stopped("continue", "breakpoint")
        like(re.sub(r"\s+", " ", s.text), r"stopped: breakpoint 1: inner is inlined in f: it stops at the graph call of 0/0; its own code would run in line %d" % CALL,
             "%dx%d: the stop says where the function's code runs" % (cols, rows))
        like(s.row("^ stopped"), r"^ stopped: breakpoint 1\b", "%dx%d: the status has its number" % (cols, rows))
done()
