#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Variables that generated code keeps on its value stack for the resume function: info locals and expressions have them.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = '''
import torch
def f(x, k):
    y = x.relu()
    z = y * 3
    n = k + 1
    breakpoint()                        # stops
    q = y + z
    return q * n
f = torch.compile(f, backend="eager")
for i in range(2):
    print(f(torch.ones(2), i).tolist())
'''

path = script(PROGRAM)
with Cdbg(path) as d:
    for k in range(2):
        d.go()
        is_(d.frame["line"], line_of(path, "# stops"), "call %d stops at breakpoint()" % k)
        rows = {r["name"]: r for r in d.rows("info locals")}
        is_(sorted(set(rows) & {"x", "k", "y", "z", "n"}), ["k", "n", "x", "y", "z"], "all variables are in info locals")
        is_((rows["n"]["value"], rows["n"]["kind"]), (str(k + 1), "kept"), "with the value and the kind of what is kept")
        is_(d.do("print n + 10")["text"], str(k + 11), "an expression uses them")
        is_(d.do("print [n + i for i in range(2)]")["text"], str([k + 1, k + 2]), "a comprehension does too")
        like(d.do("print z")["text"], r"tensor\(\[3\., 3\.\]\)", "a tensor among them")
    like(d.error("n = 7"), "cannot assign 'n': it is in a list.*'set var n = \.\.\.' writes it", "an assignment that would change nothing is refused")
    slot = 0 if d.do("print isinstance($0[0], list)")["text"] == "True" else 1          # torch 2.13 keeps cells below
    d.do("$%d[0][2] = 7" % slot)
    is_(d.do("print n")["text"], "7", "an assignment to the item in the list changes it")
    like(d.error("print q"), "NameError: name 'q' is not defined: 'q' is a variable of f", "what has no value yet is marked as such")
    is_(d.do("set var z = y * 10")["text"].split(" = ")[0], "z", "set var writes what is kept")
    like(d.do("print z")["text"], r"tensor\(\[10\., 10\.\]\)", "and expressions find the new value")
    d.do("set var z = y * 3")
    d.do("set var y = y * 2")
    d.run_out()
    is_(d.out, "[4.0, 4.0]\n[35.0, 35.0]\n", "the program continues with these values")
done()
