#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Where `entry check`, `run` and `diff` find the values that are not given: in the selected frame as it was called,
whichever entry of the function that frame runs."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from editing import *

need_torch()

PROGRAM = PRELUDE + '''
    def f(x, n):
        return x * n

    def make(k):
        def closed(x, *rest, n=2, **more):
            return x * k * n + len(rest) + more.get("z", 0)
        return closed

    def rebinds(x, n):
        x = x + n
        torch._dynamo.graph_break()
        return x * n                        # rebound

    def plain(x, n):
        return cf(x, n)

    x = torch.ones(3)
    cf = torch.compile(f, backend="eager", dynamic=False)
    for n in (2, 3, 4):
        cf(x, n)
    closed = make(5)
    cc = torch.compile(closed, backend="eager", dynamic=False)
    cc(x, 1, n=2), cc(x, 1, n=7, z=1)
    cr = torch.compile(rebinds, backend="eager", dynamic=False)
    cr(x, 2), cr(x, 3)

    def stop(what):
        return what

    stop("here")
    plain(x, 3)
    cc(x, 1, n=7, z=1)
    rebinds(x, 3)
    cf(x, 9)
'''

with Editing(PROGRAM) as d:
    d.do("break stop")
    d.go()
    ids = {name: d.entries(name) for name in ("f", "closed", "rebinds")}
    is_([len(ids[name]) for name in ("f", "closed")], [3, 2], "functions with several entries")
    like(d.error("entry check %s" % ids["f"][0]), "the selected frame does not run 'f'; add 'with x=EXPR'",
         "a frame of another function gives no values, and the error says what to do")

    d.do("break f")
    d.go()
    is_(d.frame.get("entry"), ids["f"][1], "the frame runs the entry that was made for n == 3")
    like(d.text("entry check " + ids["f"][1]), "all guards pass", "entry check of the entry that the frame runs")
    like(d.text("entry check " + ids["f"][0]), r"1 guard fails\n.*\bn == 2(.*\n)*.*is +3",
         "entry check of another entry of the selected function takes the frame's arguments")
    is_(d.text("entry run -f " + ids["f"][2]), "tensor([4., 4., 4.])", "so does entry run")
    like(d.text("entry diff -f " + ids["f"][2]), "^not equal to eager, max difference 1", "and entry diff")
    like(d.text("entry check %s with n=2" % ids["f"][0]), "all guards pass", "a value that is given goes before the frame's")
    failing = [r["guard"] for r in d.rows("guard why " + ids["f"][0])]
    ok(failing and str(failing[0]) in d.text("entry check " + ids["f"][0]), "guard why and entry check find the same guard")
    d.do("up")
    like(d.error("entry check " + ids["f"][0]), "does not run 'f'", "in the caller's frame there are no arguments of it")

    d.do("delete")
    d.do("break closed")
    d.go()
    is_(d.text("entry run -f " + ids["closed"][0]), "tensor([11., 11., 11.])",
        "*args, keywords and free variables of the frame are taken for another entry")
    like(d.text("entry check " + ids["closed"][0]), "guards? fails?", "... and checked against its guards")

    d.do("delete")
    d.do("break %d" % d.line_of("# rebound"))
    d.go()
    is_(d.frame.get("kind"), "user", "a frame that runs the function in eager mode")
    like(d.error("entry check " + ids["rebinds"][0]), "no value for 'x': the frame has rebound or deleted it since the call",
         "a value that the frame has rebound is not taken for the argument")
    like(d.text("entry check %s with x=x" % ids["rebinds"][0]), r"1 guard fails\n.*\bn == 2",
         "... unless the user gives them; the others come from the frame")

    d.do("delete")
    d.do("catch recompile")
    d.go()
    is_(d.reason, "recompile", "a call that no entry takes")
    like(d.text("entry check " + ids["f"][0]), r"\bn == 2(.*\n)*.*is +9",
         "where Dynamo compiles again, the values are those of the call that missed")
    is_(d.text("entry run -f " + ids["f"][0]), "tensor([2., 2., 2.])", "... and an entry can be run with them")
done()
