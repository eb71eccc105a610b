#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Why a function is compiled again, at a glance: what changed, then the remedy, equal causes once; the same in explain, with
the guards counted, and each as Python on request."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
PROGRAM = script('''
    import torch


    class Part(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.drop = torch.nn.Dropout(0.0)

        def forward(self, x):
            return self.drop(x) + 1


    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.part = torch.nn.ModuleList(Part() for i in range(7))

        def forward(self, x):
            for part in self.part:
                x = part(x)
            return x


    m = torch.compile(Model(), backend="eager", dynamic=False)
    x = torch.ones(4)
    m(x)
    m.eval()
    m(x)
    with torch.no_grad():
        m(x)
    m(torch.ones(5))
    print("end")
''', "glance.py")
with Screen(PROGRAM, rows=24, cols=80, options=["-q"], limit=180) as s:
    def card(line):
        s.stopped(line, "recompile|compiles again")
        rows = s.text.split("\n")
        first = next(i for i, row in enumerate(rows) if row.startswith(" answer "))
        return "\n".join(row.rstrip() for row in rows[first + 1:first + 6])

    s.line("catch recompile")
    first = card("continue")
    like(first, r"\A changed:  7 guards: training, now eval \(part\[0\]\.drop, |\A changed:  7 guards: training, now eval \(self\.part\[0\]\.drop,",
         "80x24: what changed comes first, and seven guards of one cause are one")
    like(first, r"^ remedy:   train\(\) and eval\(\) are compiled separately: two entries", "then the remedy")
    like(first, r"^ entry 0/0, guards \d+, \d+ and 5 more: ", "then the guards")
    second = card("continue")
    like(second, r"\A changed:  grad_mode \(now under no_grad\)\n remedy:   call it under one grad mode", "the state of torch: the name of what changed, not the text of the guard")
    third = card("continue")
    like(third, r"\A changed:  x is f32\[5\] cpu, expected f32\[4\] cpu\n remedy:   torch\._dynamo\.mark_dynamic", "a size: both tensors, and the remedy")
NAN = script('''
    import torch


    @torch.compile(backend="aot_eager")
    def f(x, long_name_of_a_parameter):
        y = torch.tanh(x) + torch.log(long_name_of_a_parameter) * 0.3 + torch.sin(x) * torch.cos(x)
        return torch.relu(y).sum()


    f(torch.ones(8), torch.full((8,), -1.0))
''', "nan.py")
with Screen(NAN, rows=24, cols=80, options=["-q"], limit=180) as s:
    s.line("catch nan").stopped("continue", "nan")
    like(re.sub(r"\s+", " ", s.text), r" answer 8 NaN and 0 Inf of 8 values .* made by log at nan\.py:\d+, '.*'; its inputs had no NaN", "80x24: a NaN has a card, which begins with what was made")
    s.keys("\x1b").line("graph run until nan")
    like(re.sub(r"\s+", " ", s.text), r"node 'log' makes the first NaN: 8 of 8 values at nan\.py:\d+, '.*', of l_long_name_of_a_parameter_ with min -1, max -1, 8 negative, 0 NaN, 0 Inf",
         "the verdict above a table is wrapped, not cut")
with Cdbg(PROGRAM) as d:
    d.do("catch recompile")
    d.go()
    why = run(PROGRAM, commands=["catch recompile", "continue", "guard why", "kill"])[1]
    is_(len(re.findall(r"^ +remedy ", why, re.M)), 1, "guard why has one remedy for seven guards")
    like(why, r"^     and 6 more guards: \d+ self\.part\[1\]\.drop\.training, .* \.\.\.$", "and names the others")
    like(d.text("explain"), r"\AModel\.forward, .*\n.*\nIt is being compiled again: 0/0: 7 guards: training, now eval", "explain at the stop says why")
    d.do("delete")
    d.do("break %d" % d.line_of('print("end")'))
    d.go()
    text = d.text("explain -g Model.forward")
    order = [text.index(word) for word in ("compiled again: 3 times", "remedy: ", "entry 0/0: live", "  guards: ")]
    is_(order, sorted(order), "explain begins with why it was compiled again, and the remedies; guards are last")
    folded = d.text("explain Model.forward")
    like(folded, r"^  guards: \d+: 'info guards 0/0' lists them, 'explain -g 0/0' as Python$", "which are counted")
    ok("type(x)" not in folded and "check_tensor(x" in text, "and listed on request")
    like(text, r"compiled again: 3 times(.*\n)*  1 x self\.part\[0\]\.drop\.training == True\n.*\n      remedy: train\(\) and eval\(\)", "the remedy of a mode that changed is known afterwards, too")
    like(text, r"GLOBAL_STATE changed: grad_mode\n.*\n      remedy: call it under one grad mode", "and that of the state of torch")
    d.run_out()
done()
