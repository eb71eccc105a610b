#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Variables that generated code keeps on its value stack: conditions of breakpoints and catchpoints, displays and
# watchpoints have them.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = '''
import torch
def note(v):
    return None
@torch.compile(backend="eager")
def f(x, k):
    y = x.relu()
    n = k + 1
    torch._dynamo.graph_break()         # breaks
    q = y + x
    return q * n
def g(x, k):
    y = x.relu()
    m = [k]
    print(k)                            # prints
    return y + m[0]
g = torch.compile(g, backend="eager")
for i in range(4):
    f(torch.ones(2), i)
for i in range(4):
    g(torch.ones(2), i)
'''

path = script(PROGRAM)
with Cdbg(path) as d:
    d.do("break %s:%d if n == 3" % (path, line_of(path, "# breaks")))
    stop = d.go()
    is_(stop["reason"], "breakpoint", "a condition on a kept variable stops where it is true")
    is_(d.do("print n, k")["text"], "(3, 2)", "at the call that it is true for")
    d.do("delete 1")
    d.do("break %s:%d if m[0] == 2" % (path, line_of(path, "# prints")))
    d.go()
    is_(d.do("print m")["text"], "[2]", "the condition is evaluated at each call")
    d.do("display m[0] + 40")
    is_(d.rows("info display")[0]["value"], "42", "a display has it")
    d.do("watch len(m)")
    d.do("!m.append(5)")
    stop = d.cmd("nexti") and d.wait()
    is_(stop["reason"], "watch", "a watchpoint sees its value change")
    d.run_out()

BRANCH = '''
import torch
@torch.compile(backend="eager")
def f(x, k):
    a = x + 1
    n = k * 2
    s = x * 3
    if s.sum() > 0:                     # breaks
        return a + n
    return s - n
for i in range(3):
    f(torch.ones(2), i)
'''
path = script(BRANCH)
with Cdbg(path) as d:
    d.do("break %s:%d if n == 4" % (path, line_of(path, "# breaks")))
    stop = d.go()
    is_(stop["reason"], "breakpoint", "where both ways of a branch have a resume function, the condition has what either gets")
    is_(d.do("print n, k, a.tolist(), s.tolist()")["text"], "(4, 2, [2.0, 2.0], [3.0, 3.0])", "each name has its own value")
    d.run_out()
done()
