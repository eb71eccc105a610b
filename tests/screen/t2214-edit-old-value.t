#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The key e begins with the old value of the row: a guard's, a tensor's, a slot's, a condition; and a row without one is
# reported.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
PROGRAM = script('''
    import torch


    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.mode = "a"

        def forward(self, x, k):
            if self.mode == "a":
                y = x * k
            return y + 1


    f = torch.compile(Model(), backend="eager")
    for k in (2, 2):
        f(torch.ones(6), k)
    print("end")
''', "model.py")
ESC = "\x1b"

for rows, cols in ((24, 80), (40, 120)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"], limit=240) as s:
        def edit(pane, text, zoom=False):
            """The prompt after e on the first row of the pane that has the text; the hints before."""
            s.line("focus " + pane)
            if zoom:
                s.keys("z")
            s.keys("g/").keys(text + "\r")
            hints = s.text.split("\n")[-1]
            s.keys("e")
            return s.prompt, hints

        s.line("break forward@graph")
        s.stopped("continue", "breakpoint")
        s.keys(ESC)
        prompt, hints = edit("guards", "'a'", True)
        like(prompt, r"^\(cdbg\) guard edit \d+ 'a'$", size + "a guard on a constant: its value")
        like(hints, "Space guard drop" + (" .*e guard edit" if cols > 80 else ""), size + "and the hints name what Space and e do")
        s.keys("\x7f\x7f\x7f").keys("b' \r")
        like(s.text, r"expects 'b'", size + "which can be changed")
        prompt, hints = edit("guards", "TENSOR_MATCH")
        like(prompt, r"type=torch.float32 size=\[6\] stride=\[1\] requires_grad=False device='cpu'$",
             size + "a tensor: what guard edit takes")
        s.keys("\x03")
        prompt, hints = edit("guards", "DIMENSION_DYNAMIC")
        like(prompt, "-- keys go to guards --", size + "a guard without a value keeps the keys in the pane")
        like(s.text, "this row of 'guards' has no value to edit", size + "and is reported")
        unlike(hints, "  e ", size + "its hints do not name e")
        s.keys("z").keys(ESC)
        is_(edit("locals", "f32[6]", True)[0], "(cdbg) set var x = x", size + "a tensor that is a local: its name")
        s.keys(" * 3\r")
        s.line("p x")
        like(s.text, "tensor\\(\\[3\\., 3", size + "from which the new value is made")
        s.line("focus locals").keys("z").keys(ESC)
        s.line("stepi 2")
        like(edit("stack", "f32[6]", True)[0], r"^\(cdbg\) set stack (\d+) = \$\1$", size + "a tensor on the stack: its slot")
        s.keys("\x03").line("focus stack").keys("z").keys(ESC)
        s.line("condition 1 3 > 2")
        like(edit("breakpoints", "breakpoint", True)[0], r"^\(cdbg\) condition 1 3 > 2$", size + "a breakpoint: its condition")
done()
