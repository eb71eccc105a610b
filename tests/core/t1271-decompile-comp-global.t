#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Globals that a comprehension assigns are written as such, and assigned by the code that is compiled again; conditions with
`or` need no variable of the decompiler's own."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from cdbgtest import environment, PATIENCE

SAMPLE = r'''
def plain(f):
    global seen
    z = [(seen := f(x)) for x in range(3)]
    return z, seen

def nested(f):
    global seen
    return [[(seen := (x, y)) for y in (f('y'), seen)] for x in range(2)], seen

def keyed(f):
    global seen
    return {(seen := k): f(k) for k in range(3) if (last := k)}, last, seen

def twice(f):
    global seen
    return [f((seen := x), x) for x in range(3) if (seen := f(x))], seen

def both(f):
    global seen
    return [seen for seen in range(2)], [(seen := 3) for _ in range(2)], seen

def handled(f):
    global seen
    try:
        return [(seen := f(x)) for x in range(2)]
    except ValueError:
        return [(seen := x) for x in range(3)], seen

def around(f):
    global seen
    def inner():
        return seen, [x for x in range(2) if seen]
    [(seen := f(x)) for x in range(2)]
    return inner(), (lambda: seen)()
'''

CONDITIONS = r'''
def either(a, b, r):
    if not a or b.x:
        r.append(1)
    if (a or b) and (a.x != 3 or a.y != b.y):
        r.append(2)
    return r.y

def arms(a, b, r):
    for q in r:
        if q.x > a or q.y > b:
            q.z = 1
            q.w = 2
        else:
            q.z = q.w = 3
        r.append(q)
    return r
'''

CHECK = r'''
import sys, types
sys.path.insert(0, %r)
import cdbg
import conditions
import sample
for f in (conditions.either, conditions.arms):
    cdbg.recompile(f.__code__)
    print(cdbg.decompile(f), end="")
print("----")
for f in vars(sample).copy().values():
    if isinstance(f, types.FunctionType):
        print(cdbg.decompile(f), end="")
print("----")
def run(f, fail):
    n = []
    def call(*a):
        n.append(a)
        if len(n) == fail:
            raise ValueError
        return a * len(n)
    sample.seen = "before"
    try:
        return repr((f(call), n, sample.seen))
    except ValueError as e:
        return repr((n, sample.seen))
for f in vars(sample).copy().values():
    if isinstance(f, types.FunctionType):
        g = types.FunctionType(cdbg.recompile(f.__code__), vars(sample))
        for fail in range(7):
            if run(f, fail) != run(g, fail):
                print(f.__name__, fail, run(f, fail), run(g, fail))
'''
folder = os.path.dirname(script(SAMPLE, "sample.py"))
script(CONDITIONS, "conditions.py", folder)
made = subprocess.run([interpreter(), script(CHECK % folder, "check.py", folder)], capture_output=True, text=True,
                      env=environment(), timeout=120 * PATIENCE)
is_((made.returncode, made.stderr), (0, ""), "functions with such comprehensions go through the decompiler")
conditions, text, wrong = (made.stdout.split("----\n") + ["", ""])[:3]
like(conditions, r"if not a or b\.x:\n +r\.append\(1\)", "a condition with 'or' before one statement")
like(conditions, r"if q\.x > a or q\.y > b:\n", "a condition with 'or' before two arms")
ok("_t" not in conditions, "neither needs a variable of the decompiler's own", conditions)
for want in ("z = [(seen := f(x)) for x in range(3)]", "[[(seen := (x, y)) for y in (f('y'), seen)] for x in range(2)]",
             "{(seen := k): f(k) for k in range(3) if (last := k)}", "[(seen := 3) for _ in range(2)]"):
    ok(want in text, "as it was written: " + want, text)
is_(text.count("global seen\n"), 7, "each function declares the global")
is_(wrong, "", "what is compiled again assigns the same in the same order")
done()
