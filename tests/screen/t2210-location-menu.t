#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The menu of locations after `break`: which functions are compiled, the nodes of graphs, and when regions will be known.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
PROGRAM = script('''
    import torch


    class Net(torch.nn.Module):
        def forward(self, x):
            return (x * 2).relu()


    def helper(y):
        return y + 1


    net = torch.compile(Net(), backend="eager")
    net(torch.ones(4))
    done = True
''', "kinds.py")

for rows, cols in ((24, 80), (40, 120), (60, 200)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"], limit=120) as s:
        s.keys("break helper@\t")
        like(s.text, r"'helper' is not compiled yet: its regions are known after that", size + "regions are known after a compile")
        s.keys("\x03break node:\t")
        like(s.text, r"no graph is compiled yet: its nodes are known after that", size + "nodes too")
        s.keys("\x03").line("break 15").line("continue", wait=False).see("stopped: breakpoint").settled()
        s.keys("break \t")
        like(s.text, r"Net +class, kinds\.py:4", size + "a class")
        like(s.text, r"Net\.forward +compiled method, kinds\.py:5", size + "a compiled method")
        like(s.text, r"helper +function, kinds\.py:9", size + "a function that is not compiled")
        like(s.text, r"node: +nodes of compiled graphs", size + "and the nodes of graphs")
        s.keys("\x03break node:\t")
        like(s.text, r"node:mul +node", size + "each node is described")
        s.keys("\x03info guards -x\r")
        like(s.text, r"unknown option '-x' of 'info guards'; usage: info guards \[ENTRY\|FUNC\|GUARD\]", size + "an unknown option of a view is named")

with Cdbg(PROGRAM) as d:
    d.do("break 15")
    d.go()
    for line, want in (("explain -x", "usage: explain "), ("catch graph-break -x", r"usage: catch graph-break \[-r\] \[FUNC\]"),
                       ("info graph -x", r"usage: info graph \[-a\]")):
        like(d.error(line), "^unknown option '-x' of '.*'; " + want, line)
    for line in ("info graph -a", "explain -a", "catch graph-break -r"):
        unlike(d.error(line) or "", "unknown option", line + " takes this option")
done()
