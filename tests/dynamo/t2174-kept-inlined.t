#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A graph break in an inlined function, resumed there: each frame has a list of kept variables, and the function's own are found.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = '''
import torch, torch._dynamo
torch._dynamo.config.nested_graph_breaks = True
def inner(a, m):
    b = a + m
    n = b * 2                           # another n than that of f
    breakpoint()
    return b + n
def mid(a, m):
    d = a - 1
    e = inner(d, m + 1)
    return d * e
def f(x, k):
    y = x.relu()
    z = y * 3
    n = k + 1
    g = mid(z, n) + torch.ones(2)       # calls
    q = y + z
    return q * n + g
def passes(a):
    return inner(a, 1)
def h(x, k):
    y = x + 5
    return passes(y) * (y + k)          # an operand waits
def branch(x):
    w = x * 2
    if w.sum() > 2:                     # branches
        return w + 1
    return w - 1
def r(x, k):
    u = x + k
    v = branch(u)
    return u * v + k
def again(x, k):
    s = x + k
    if k:
        t = again(s, k - 1)
        return t + s
    breakpoint()
    return s * 2
todo = [(f, 0), (f, 1), (h, 2), (r, 3), (again, 2)]
torch._dynamo.config.recompile_limit = 32
for fn, k in todo:
    c = torch.compile(fn, backend="eager")
    print(fn.__name__, c(torch.ones(2), k).tolist())
print("end")
'''

path = script(PROGRAM)


def kept(d):
    return {r["name"]: r["value"] for r in d.rows("info locals") if r["kind"] == "kept"}


with Cdbg(path) as d:
    if d.do("print hasattr(__import__('torch._dynamo')._dynamo.config, 'nested_graph_breaks')")["text"] != "True":
        skip_all("this torch resumes no inlined function")
    seen = []
    d.do("break r@break")
    while True:
        d.go()
        if d.exited:
            break
        d.do("frame 0")
        seen.append((d.frame["function"], d.frame["region"], kept(d), d.cmd("print n").get("text")))
    for k in range(2):
        got = seen[k]
        is_(got[0], "f", "call %d of f stops in its generated code" % k)
        is_(got[2], {"y": "f32[2] cpu [1, 1]", "z": "f32[2] cpu [3, 3]", "n": str(k + 1)}, "with the variables of f")
        is_(got[3], str(k + 1), "and an expression has the n of f, not that of the inlined function")
    is_(seen[2][0::2][:2], ("h", {"y": "f32[2] cpu [6, 6]"}), "a frame between that only returns is not continued: the others are")
    is_(seen[3][:3], ("r", "break", {"u": "f32[2] cpu [4, 4]"}), "a branch on data in an inlined function")
    is_(seen[4][0::2][:2], ("again", {"s": "f32[2] cpu [3, 3]"}), "recursion: the variables are those of the outermost call")
    is_(d.out.split("\n")[-2], "end", "the program runs to its end")

# Instruction by instruction to the call of the resume function: the variables are right or not known.
RETURNS = PROGRAM.replace("def inner(a, m):", "def only(a):\n    return breakpoint()\ndef inner(a, m):").replace(
    "    g = mid(z, n) + torch.ones(2)       # calls", "    only(z)\n    g = z").replace(
    "todo = [", "todo = [(f, 6)]\ntodo2 = [")
for text, k, name in (PROGRAM, 0, "two frames inlined"), (RETURNS, 6, "a frame inlined that returns at once"):
    with Cdbg(text) as d:
        d.go()
        right, wrong, none = 0, [], 0
        while d.frame.get("region") == "resume call" and d.frame["function"] == "f":
            got = kept(d)
            if got == {"y": "f32[2] cpu [1, 1]", "z": "f32[2] cpu [3, 3]", "n": str(k + 1)}:
                right += 1
            elif got:
                wrong.append((d.frame["offset"], got))
            else:
                none += 1
            d.go("stepi")
        is_(wrong, [], "%s: no instruction shows other values" % name)
        ok(right > 10, "%s: most show the right ones" % name, (right, none))
done()
