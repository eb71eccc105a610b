#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A variable that the function still needs can be printed at every instruction of generated code from the break to the
# call of the resume function, on each way out of the break.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
HEAD = """
    import torch


    def one(x):
        return x + 1


    def two(*values):
        return sum(values)


    """
TAIL = """

    cf = torch.compile(f, backend="eager")
    for sign in (1.0, -1.0):
        cf(torch.tensor([3.0]), torch.tensor([sign]))
    done = True
    """
# name: the function, {variable: its value with the second argument positive, negative}
PROGRAMS = {
    "a branch": ("""
    def f(a, b):
        x = a / (torch.abs(a) + 1)
        if b.sum() < 0:
            b = b * -1
        return x * b
    """, {"x": ("[0.75]", "[0.75]"), "b": ("[1.0]", "[-1.0]")}),
    "a call that breaks, with operands on the stack": ("""
    def f(a, b):
        x, n = a * 2, 7
        y = two(x, one(a), print("break") or b) + x
        return x * y * n
    """, {"x": ("[6.0]", "[6.0]"), "b": ("[1.0]", "[-1.0]")}),
    "a break within with": ("""
    def f(a, b):
        x = a + 2
        with torch.no_grad():
            print("break")
            x = x * b
        return x
    """, {"x": ("[5.0]", "[5.0]"), "b": ("[1.0]", "[-1.0]")}),
    "a loop's condition": ("""
    def f(a, b):
        x = a - 1
        while x.sum() > 1:
            x = x - b.abs()
        return x * b
    """, {"x": (None, None), "b": ("[1.0]", "[-1.0]")}),
}
for name, (text, wanted) in PROGRAMS.items():
    with Cdbg(HEAD.rstrip(" ") + "    " + text.strip() + "\n" + TAIL) as d:
        d.do("break f")
        d.do("break prog.py:%d" % d.line_of("done = True"))
        d.go()
        call, wrong, seen = -1, [], set()
        while d.frame["line"] != d.line_of("done = True"):
            at = d.frame
            if at["kind"] == "generated" and at["entry"] == "0/0":
                call += at["region"] == "graph call" and at["index"] == 1
                if at["region"] in ("break", "resume call"):
                    seen.add(at["offset"])
                    for variable, values in wanted.items():
                        reply = d.cmd("print %s.tolist()" % variable)
                        right = values[call > 0] or reply.get("text")
                        if not reply["ok"] or reply["text"] != right:
                            wrong.append((at["offset"], at["opname"], variable, reply.get("text") or reply["error"]))
                d.go("nexti")
            else:
                d.go()
        ok(len(seen) > 8 and not wrong, "%s: variables at all instructions from the break on" % name, (len(seen), wrong[:4]))
done()
