#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Loops and joins in try and with statements whose first instruction the exception table leaves out, and loops that never
# come round: decompiled, compiled again, and run with the same results and the same calls.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

PROGRAM = r"""
import types
import cdbg

log = []
def step(name, a, at=None, error=KeyError):
    log.append((name, a))
    if a == at:
        raise error(name)
    return a

class Manager:
    def __init__(self, swallow): self.swallow = swallow
    def __enter__(self): log.append("in"); return self
    def __exit__(self, t, v, tb): log.append(t and t.__name__); return self.swallow

def loop_in_with(a):
    with Manager(a > 3):
        while True:
            try:
                n = step("data", a, 2)
            except KeyError:
                break
            if n > 4:
                n = step("late", a, n, ValueError)
            a += 1
    log.append("behind")
    return a

def tries_in_a_row(a):
    s = "s"
    if step("test", a):
        try:
            if step("first", a, 1):
                s += "a"
        except KeyError:
            pass
        try:
            if step("second", a - 2, 0):
                s += "b"
        except KeyError:
            pass
    return s

def first_only(a):
    for k in range(a):
        step(k, a, 3)
        return k, a
    raise IndexError(a)

def first_or_else(a):
    for k in range(a):
        if step(k, a, 3) > 4:
            return k
        break
    else:
        k = "none"
    return k, a

def join_before_try(a):
    try:
        for n in range(a):
            if n == 2:
                step("two", a, 3)
            try:
                step("inner", n, 1)
            except KeyError:
                log.append("caught")
        step("end", a, 4, ValueError)
    except (KeyError, ValueError) as e:
        return repr(e)

def branch_before_try(a):
    try:
        if a:
            step("branch", a, 1)
        try:
            step("inner", a, 2)
        except KeyError:
            return step("handler", a)
        step("after", a, 3)
    except KeyError:
        log.append("outer")
    finally:
        log.append("end")
    return a

def outcome(f, a):
    del log[:]
    try:
        result = f(a)
    except Exception as e:
        result = repr(e), repr(e.__context__)
    return result, list(log)

for f in loop_in_with, tries_in_a_row, first_only, first_or_else, join_before_try, branch_before_try:
    print("==", f.__name__)
    print(cdbg.decompile(f), end="")
    try:
        g = types.FunctionType(cdbg.recompile(f.__code__), globals())
    except ValueError as e:
        print("--", e)
        continue
    for a in range(7):
        if outcome(f, a) != outcome(g, a):
            print("-- %d: %r is not %r" % (a, outcome(g, a), outcome(f, a)))
"""

status, out, err = bare(script(PROGRAM))
ok(status == 0, "functions with loops in with statements and joins in try statements are decompiled", err)
texts = {t.split("\n", 1)[0]: t.split("\n", 1)[1] for t in out.split("== ")[1:] if "\n" in t}
for name, what in (("loop_in_with", "a loop with a try statement, in a with statement"),
                   ("tries_in_a_row", "a try statement that ends in a condition, before another one"),
                   ("first_only", "a loop that returns in its first round"), ("first_or_else", "a loop that breaks in its first round"),
                   ("join_before_try", "a condition before a try statement within another one, in a loop"),
                   ("branch_before_try", "a condition before a try statement within another one")):
    is_([l for l in texts.get(name, "-- none").splitlines() if l.startswith("--")], [], what + ": compiled again it does the same")
like(texts["first_only"], r"for k in range\(a\):\n        step\(k, a, 3\)\n        return k, a\n    raise IndexError\(a\)",
     "the loop that returns at once is a for statement")
is_(texts["branch_before_try"].count("except KeyError"), 2, "each except clause is written once")
done()
