#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Breakpoints in functions that are compiled: each form of location leads to what Dynamo made of it, in every call."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = '''
    import torch

    def helper(v):
        return v + 1                    # helper

    def f(a, b):
        x = helper(a) / (a.abs() + 1)   # in graph
        if b.sum() < 0:                 # breaks
            b = b * -1                  # negated
        return x * b                    # last

    def plain(n):
        return n + 1                    # plain

    class M(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def forward(self, x):
            return self.inner(x).sin()  # forward

    class Inner(torch.nn.Module):
        def forward(self, x):
            return x.cos()

    g = torch.compile(f, backend="eager")
    m = torch.compile(M(), backend="eager")

    def main():
        one = torch.ones(4)
        two = torch.ones(4)
        for k in range(3):
            plain(k)
            g(one, two if k != 1 else -two)
        m(one)
        f(one, two)
        print("end")

    main()
'''


def stops(*commands, after=()):
    """(function, kind, entry, line, region) of each stop."""
    with Cdbg(PROGRAM) as d:
        for line in commands:
            d.do(line)
        found = []
        while not d.exited:
            d.go()
            if not d.exited:
                fr = d.frame
                found.append((fr["function"], fr["kind"], fr["entry"], fr["line"], fr["region"]))
                for line in after:
                    d.do(line)
        is_(d.out, "end\n", "%s: the result is the program's own" % commands[-1])
        return found


path = script(PROGRAM)


def line(text):
    return line_of(path, text)


got = stops("break f")
is_([s[:3] for s in got], [("f", "generated", "0/0")] * 3 + [("f", "user", None)],
    "break FUNC stops once in each call: in generated code, and in its own where that runs")
got = stops("break plain")
is_([s[0] for s in got], ["plain"] * 3, "beside compiled code a plain function stops in each call")
got = stops("break plain", "break f")
is_([s[0] for s in got], ["plain", "f"] * 3 + ["f"], "both at once stop in the program's order")
is_(len(stops("tbreak f")), 1, "tbreak stops once")
got = stops("break f if b.sum() < 0")
is_(len(got), 1, "a condition reads arguments in generated code")
got = stops("break f", "ignore 1 2")
is_([s[1] for s in got], ["generated", "user"], "an ignore count holds over calls")
got = stops("break prog.py:%d" % line("# breaks"))
is_([s[:1] + s[3:4] for s in got], [("f", line("# breaks"))] * 4, "FILE:LINE of a break stops there in each call")
is_([s[4] for s in got], ["break"] * 3 + [None], "in generated code at the region of the break")
got = stops("break prog.py:%d" % line("# last"))
is_(len(got), 4, "a line after the break stops in whichever piece holds it, once a call")
got = stops("break prog.py:%d" % line("# negated"))
is_(len(got), 1, "a line of one branch stops where that branch is taken")

with Cdbg(PROGRAM) as d:
    d.do("break main")
    d.go()
    d.do("break f")
    d.go()
    d.do("delete")
    d.go("finish")
    text = d.do("break prog.py:%d" % line("# in graph"))["text"]
    like(text, "line %d is in the graph call of 0/0" % line("# in graph"), "a line inside the graph: the answer reports it")
    like(d.do("break prog.py:%d" % line("# helper"))["text"], "helper is inlined in f", "a line of an inlined callee: the answer reports it")
    d.go()
    is_(d.frame["region"], "graph call", "it stops at the graph call")
    is_(d.stop["number"], 3, "with the number of the first one there")
    d.do("delete")
    like(d.do("break f@break")["text"], "0/0", "FUNC@REGION names its entry")
    like(d.do("break 0/0@graph")["text"], "0/0", "so does ENTRY@REGION, the region's name begun")
    code = d.rows("info code 0/0")
    d.do("delete")
    d.do("break 0/0*%d" % code[-1]["offset"])
    stop = d.go()
    is_((stop["frame"]["entry"], stop["frame"]["offset"]), ("0/0", code[-1]["offset"]), "ENTRY*OFFSET")
    d.do("delete")
    like(d.error("break 9/9"), "9/9", "an entry that is not one is refused")
    d.do("break g")
    d.do("break M.forward")
    d.do("break m")
    d.run_out()

got = stops("break helper")
is_([(s[0], s[2], s[4]) for s in got], [("f", "0/0", "graph call")] * 3 + [("helper", None, None)],
    "break FUNC of one that was inlined stops at the graph call that holds it, and in its own code where that runs")
got = stops("break Inner.forward")
is_([(s[0], s[4]) for s in got], [("forward", "graph call")], "so does a method of a module in the module")
with Cdbg(PROGRAM) as d:
    d.do("break Inner.forward")
    d.go()
    note = d.rows("info breakpoints")[0]["notes"]
    like(note, r"^Inner.forward is inlined in M.forward: it stops at the graph call of \d/0; its own code would run in line \d+$", "and the table says why")
    unlike(d.do("break Inner.forward#1")["text"], "1/0", "its instructions are counted in its own code all the same")
    d.run_out()

is_([s[0] for s in stops("break g")], ["f"] * 4, "a compiled wrapper leads to its function, though it is not made yet")
is_([s[0] for s in stops("break M.forward")], ["forward"], "a compiled module's method")
got = stops("break f@break")
is_([s[4] for s in got], ["break"] * 3, "FUNC@REGION set before anything is compiled is met in every call")
names = [s[0] for s in stops("break opcode:RETURN_VALUE")]
ok(names.count("f") == 4 and any(n.startswith("torch_dynamo_resume_in_f") for n in names),
   "opcode:NAME is met in own, generated and resume code", names)
done()
