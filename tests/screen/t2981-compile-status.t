#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# While the program compiles, the status line of the full screen says what, in which phase, and for how long.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
PROGRAM = script('''
    import os
    import time
    import torch
    from torch._dynamo.backends.common import aot_autograd


    def wait_for(name):
        while not os.path.exists(name):
            time.sleep(0.01)


    def forward(gm, inputs):
        wait_for("forward")
        return gm


    def backward(gm, inputs):
        wait_for("backward")
        return gm


    @torch.compile(backend=aot_autograd(fw_compiler=forward, bw_compiler=backward))
    def f(x):
        return (x.sin() * 2).sum()


    loss = f(torch.ones(3, requires_grad=True))
    loss.backward()
    wait_for("end")
    print("over")
''', "status.py")
folder = os.path.dirname(PROGRAM)


def make(name):
    open(os.path.join(folder, name), "w").close()


with Screen(PROGRAM, rows=24, cols=100, options=["-q"], cwd=folder) as s:
    s.line("continue", wait=False).until(lambda: s.row(r"^ compiling forward 0/0: "), "a compile begins")
    s.until(lambda: s.row(r"^ compiling forward 0/0: AOTAutograd, \d+ s .* Ctrl-C stops it"), "its phase and its time")
    make("forward")
    s.until(lambda: s.row(r"^ compiling backward 0/0: AOTAutograd, \d+ s \(the last entry took \d+ s\) "), "the backward graph, and how long the entry took")
    make("backward")
    s.until(lambda: s.row(r"^ running \d+ s "), "afterwards the program runs")
    ok(s.row(r"^ running \d+ s .* Ctrl-C stops it"), "each phase of a compile was on the status line")
    make("end")
    s.until(lambda: s.row("ended with status 0|exited"), "it ends")
done()
