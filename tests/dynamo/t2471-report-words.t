#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# What a report and the comparison of two say: which operators a graph gained and lost, an input that changed, whose numbers a region's
# are, and torch's message on a function that was skipped once.
import html
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
PROGRAM = script('''
    import os, torch
    CASE = os.environ.get("CASE", "")
    def f(x):
        y = x.sin() + 1
        if CASE == "more":
            y = y.cos().cos()
        return y * 2
    def skips(x):
        try:
            y = x + 1
            print("try")
        except ValueError as e:
            y = x - 1
        return y
    x = torch.ones(3, dtype=torch.float64 if CASE == "dtype" else torch.float32)
    torch.compile(f, backend="eager")(x)
    torch.compile(skips, backend="eager")(x)
    ''', "words.py")
where = tempfile.mkdtemp(prefix="cdbg-t2471-")


for case in "base", "more", "dtype":
    python("-m", "cdbg", "--report", os.path.join(where, case), PROGRAM, env={"CASE": case})


def diff(a, b):
    return python("-m", "cdbg", "--plain", "-q", PROGRAM, input="report diff %s %s\nquit\n" % (os.path.join(where, a), os.path.join(where, b))).stdout


like(diff("base", "more"), r"f, entry \d/0: graph grown: captured has 7 nodes instead of 5: added cos \(2\)\n", "a graph that has grown: what was added")
like(diff("more", "base"), r"f, entry \d/0: graph smaller: captured has 5 nodes instead of 7: gone cos \(2\)\n", "one that is smaller: what is gone")
like(diff("base", "dtype"), r"f, entry \d/0: graph changed: captured has the input \w+ f64\[3\] cpu instead of f32\[3\] cpu\n", "an input of another type")


def page(function):
    with open(os.path.join(where, "base", function, "index.html")) as f:
        return html.unescape(f.read())


like(page("f"), r"<b>prologue</b>.*>instruction 0<", "a region of one instruction says that the number is that of an instruction")
like(page("f"), r"<b>graph call</b>.*<small>line 4,</small> <small class=\"dim\">instructions 1–\d+<", "and one of several that they are")
top = page("skips").split("<h2")[0]
like(top, r"skipped: <span class=\"pre\">[^\n<]+</span>", "the page of a function that was skipped begins with the first line of the reason")
like(top, r"<details><summary>The whole message of torch</summary><pre>.*\n", "and a part that opens has all of it")
done()
