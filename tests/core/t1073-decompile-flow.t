#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Statements that are left in several ways: decompiled, compiled again, and run with the same results and the same calls.
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from cdbgtest import PATIENCE, environment

PROGRAM = r"""
import contextlib
import types
import cdbg

log = []
def step(name, n, at=None, error=KeyError):
    log.append((name, n))
    if n == at:
        raise error(name)
    return n

class Manager:
    def __init__(self, swallow): self.swallow = swallow
    def __enter__(self): log.append("in"); return self
    def __exit__(self, t, v, tb): log.append(t and t.__name__); return self.swallow

def loop_in_try(a):
    n = 0
    while True:
        try:
            n += 1
            if not step("data", n - 4):
                break
            step("more", n, a)
            step("last", n, a + 1, ValueError)
        except KeyError:
            continue
        except ValueError:
            break

def swallowed(a):
    with contextlib.suppress(KeyError):
        return step("first", a, 1)
    log.append("behind")
    return step("second", a)

def swallowed_in_branch(a):
    if a:
        with Manager(a > 1):
            step("body", a, 2)
            return 1
        return 2
    with Manager(True), Manager(a > 1) as m:
        step("both", a, 0)
        m.swallow = None
    return 3

def swallowed_in_loop(a):
    for i in range(4):
        if i % 2:
            with Manager(True):
                if i == a:
                    break
                step("body", i, 3)
                continue
            log.append("swallowed")
        else:
            log.append("even")
        log.append(i)
    else:
        log.append("else")
    return i

def several_ends(a):
    try:
        try:
            step("wait", a, 0)
        except KeyError:
            if a:
                return step("never", a)
            step("in handler", a, 0, ValueError)
            raise
        if a == 1:
            return step("early", a)
        step("between", a, 2)
        try:
            return step("value", a, 3, ValueError)
        except ValueError as e:
            raise RuntimeError(a) from e
    finally:
        step("at the end", a, 4)

def finally_once(a):
    try:
        if a == 1:
            return step("one", a)
        if a == 2:
            return step("two", a)
        step("three", a)
    finally:
        step("last", a, 2, RuntimeError)
    return step("behind", a)

def left_to_loops(a):
    out = []
    for i in range(3):
        while True:
            try:
                if i == a:
                    break
                out.append(step("try", i, 1))
            except KeyError:
                out.append("key")
                if a > 2:
                    return out
                break
            else:
                out.append("else")
                if a == 4 and len(out) < 9:
                    continue
            out.append(i)
            break
    return out

def delegates(a):
    def inner(n):
        got = yield n
        return got
    def outer(n):
        return (yield from inner(n))
    def returned(n):
        return (yield n)
    out = []
    for g in outer(a), returned(a):
        out.append(next(g))
        try:
            g.send(7)
        except StopIteration as e:
            out.append(e.value)
    return out

FUNCTIONS = [loop_in_try, swallowed, swallowed_in_branch, swallowed_in_loop, several_ends, finally_once, left_to_loops, delegates]

def outcome(f, a):
    del log[:]
    try:
        result = f(a)
    except Exception as e:
        result = repr(e), repr(e.__cause__), repr(e.__context__)
    return result, list(log)

for f in FUNCTIONS:
    try:
        code = cdbg.recompile(f.__code__)
    except ValueError as e:
        print(f.__name__, "refused", e)
        continue
    g = types.FunctionType(code, f.__globals__, f.__name__, f.__defaults__, f.__closure__)
    wrong = [(a, outcome(f, a), outcome(g, a)) for a in range(6) if outcome(f, a) != outcome(g, a)]
    print(f.__name__, "wrong %r" % wrong if wrong else "same")
@types.coroutine
def iterable(a):
    yield a
made = types.FunctionType(cdbg.recompile(iterable.__code__), globals())
async def awaits(): await made(3)
print("iterable", "same" if awaits().send(None) == 3 else "wrong")
print(cdbg.decompile(swallowed))
"""

path = script(PROGRAM)
made = subprocess.run([interpreter(), path], capture_output=True, text=True, env=environment(), timeout=120 * PATIENCE)
is_(made.returncode, 0, "statements that are left in several ways go through the decompiler")
note(made.stderr[-2000:]) if made.returncode else None
said = dict(line.split(" ", 1) for line in made.stdout.splitlines() if line[:1].isalpha() and " " in line)
for name, what in (("loop_in_try", "a loop that its try statement's handler continues"),
                   ("swallowed", "statements after a with statement that returns, where the exception is swallowed"),
                   ("swallowed_in_branch", "a with statement that ends a branch"),
                   ("swallowed_in_loop", "a with statement that a loop is left from"),
                   ("several_ends", "a try statement with several returns and a finally clause"),
                   ("finally_once", "a finally clause that raises"),
                   ("left_to_loops", "try statements that break and continue loops"),
                   ("iterable", "a generator that types.coroutine() made awaitable"),
                   ("delegates", "yield and yield from that are returned")):
    is_(said.get(name), "same", what + " does the same")
like(made.stdout, r"""def swallowed\(a\):
    with contextlib.suppress\(KeyError\):
        return step\('first', a, 1\)
    log.append\('behind'\)
    return step\('second', a\)
""", "what follows a with statement that swallows is in the text")
done()
