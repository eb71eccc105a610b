#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Functions that delete a variable: torch 2.13 and 2.14 give their resume functions the values of the frame in a list, and they are shown
with the names of those values.  torch 2.15 passes each value as an argument."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from generated import *  # noqa: E402,F403

need_torch()
TEXT = r'''
    import torch
    def deletes(x, hi):
        y = x + 1
        a = 1
        b = 2
        print(a, b)
        del b
        return x + y + a
    def waits(x):
        y = x * 2
        del x
        r = [y + 1, print("waits"), y * 3]
        z = r[0] + r[2]
        del y
        print("again")
        del r
        return z
    def within(x):
        for i in range(2):
            with torch.no_grad():
                y = x + i
                z = y
                print("within")
                del y
                return z
        return x
    def own(x, l):
        y = x + 1
        print("own")
        a = l[0]
        l[0] = None
        b = l[1]
        l[1] = None
        return y + a + b, l
    c = lambda f: torch.compile(f, backend="eager")
    for i in range(2):
        print(c(deletes)(torch.ones(3), 1), c(waits)(torch.ones(2)))
    print(c(own)(torch.ones(2), [1, 2, 3]), c(within)(torch.ones(2)))
'''
LISTED = torch_has("torch._dynamo.resume_execution.RESUME_FRAME_VALUES_VARNAME")
g = Generated(TEXT)
g.holds("values in a list")
g.reads("these", 4)
left, right = (r"\[", r"\]") if LISTED else ("", "")
values = r"___stack0, x, graph_out_0\[0\], 1, 2" if LISTED else "___stack0, x, y, 1, 2"
like(g.text("deletes"), r"    ___stack0 = print\(1, 2\)\n    return __resume_at_\w+\(\[\], \[\], %s%s%s\)\n" % (left, values, right),
     "a value of the stack has the name that it has where it is an argument")
values = r"graph_out_0\[0\], ___stack1, graph_out_0\[1\]" if LISTED else "___stack0, ___stack1, y"
like(g.text("waits"), r"    ___stack1 = print\('waits'\)\n    return __resume_at_\w+\(\[\], \[\], %s%s%s\)\n" % (left, values, right),
     "with the number of its place")
with Cdbg(TEXT, limit=120) as d:
    d.do("catch resume")
    d.go()
    rows = d.do("info resume").get("rows", [])
    is_([r["live"] for r in rows], ["stack0, x, y, a, b"], "info resume names the values")
    kind = {r["name"]: (r["kind"], r["value"]) for r in d.rows("info locals")}
    is_([(name, kind.get(name, [None])[0]) for name in "abxy"], [(name, "kept" if LISTED else "local") for name in "abxy"],
        "in the resume function, they are variables of the frame")
    is_(kind.get("b", [None])[-1], "2", "with their values")
    is_(d.text("print b + 1"), "3", "which expressions find")
    d.do("set var y = torch.zeros(3)")
    d.do("delete")
    d.run_out()
    like(d.out, r"tensor\(\[2\., 2\., 2\.\]\)", "and which can be written: the program continues with the new value")
p = python(script(TEXT + r'''
    import cdbg
    for name, f in sorted(globals().items()):
        if name.startswith("__resume_at"):
            print(cdbg.decompile(f.__code__))
'''), limit=200)
MARKS = r"    # marks of the resume prologue\n"
if LISTED:
    like(p.stdout, MARKS + r"    ___stack0, x, y, a, b = __resume_frame_values\n    __resume_frame_values\[:\] = \[None\] \* 5\n" + MARKS +
         r"    del b\n    return x \+ y \+ a\n", "a resume function as it was before it was compiled takes them apart in one line")
    like(p.stdout, r"    ___stack0, ___stack1 = __resume_frame_values\[:2\]\n    __resume_frame_values\[:2\] = \[None\] \* 2\n"
         r"    with ___stack1\(False\):\n        ___stack2, x, i, y, z = __resume_frame_values\[2:7\]\n"
         r"        __resume_frame_values\[2:7\] = \[None\] \* 5\n", "in two lines where a with statement is entered again in between")
else:
    like(p.stdout, r"_in_within_at_\w+\([\w\s,]*\):\n" + MARKS + r"    with ___stack1\(False\):\n",
         "where a with statement is entered again, too")
    like(p.stdout, r"_in_deletes_at_\w+\(.*, ___stack0, x, y,\s+a, b\):\n" + MARKS + r"    del b\n    return x \+ y \+ a\n",
         "a resume function as it was before it was compiled has them as arguments")
like(p.stdout, r"    a = l\[0\]\n    l\[0\] = None\n    b = l\[1\]\n    l\[1\] = None\n", "another list, which may have more items, is left as it is")
done()
