#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What CPython 3.14 and later compile in another way is the same text: with statements, any() and the like of a
generator expression, assertions, annotations; compiled again it does the same."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from outcomes import compared  # noqa: E402

SAMPLE = r'''
class Manager:
    def __init__(self, log, name, swallows=False):
        self.log, self.name, self.swallows = log, name, swallows
    def __enter__(self):
        self.log.append("in " + self.name)
        return self
    def __exit__(self, kind, value, tb):
        self.log.append("out " + self.name + " " + str(value))
        return self.swallows
    async def __aenter__(self):
        return self.__enter__()
    async def __aexit__(self, *a):
        return self.__exit__(*a)

def one(log, data):
    with Manager(log, "a") as m:
        log.append(m.name)
        for x in data:
            if x > 2:
                return 10 // (x - 3)
    return "end"

def two(log, data):
    with Manager(log, "a", True), Manager(log, "b") as b:
        log.append(data[0] / data[1])
        return b.name
    return "swallowed"

def looped(log, data):
    for x in data:
        with Manager(log, str(x), True) as m:
            if x == 1:
                continue
            if x == 2:
                break
            log.append(data[x])
    else:
        log.append("else")
    return log

def tried(log, data):
    try:
        with Manager(log, "a"):
            log.append(data[1])
    except IndexError as e:
        log.append(str(e))
    finally:
        log.append("finally")
    return log

async def waits(log, data):
    async with Manager(log, "a", True) as m:
        async with Manager(log, "b"):
            log.append(1 / data[0])
        return m.name
    return "swallowed"

def found(log, data):
    if any(x > 2 for x in data) and not all(y for y in data):
        return tuple(z + 1 for z in data)
    return any(z == 1 for z in data if z)

def kinds(log, data):
    got = tuple(x for x in data), list(x for x in data), set(x for x in data)
    return got, any(x for x in ([y for y in data if y] or [3])), all(x for x in (data if log else [0]))

def shadowed(log, data):
    def all(of):
        return "mine", list(of)
    return all(x for x in data)

def asserted(log, data):
    assert data, "no data"
    return data[0]

def annotated(log, data):
    T = len(data)
    def g(a: T, b: 'text' = 3, *c: int, d: list[T] = 4, **e: dict) -> T:
        return a, b, c, d, e
    return g.__annotations__, g(1), g.__name__, g.__qualname__

def either(log, data):
    return len(data) > 1 or data and data[0] or "none"
'''

CHECK = r'''
import sys, types
sys.path.insert(0, %r)
import cdbg
import sample

def run(f, data):
    log = []
    try:
        v = f(log, list(data))
        if f.__code__.co_flags & 128:
            try:
                v.send(None)
            except StopIteration as e:
                v = e.value
        return repr((v, log))
    except Exception as e:
        return "%%s: %%s %%r" %% (type(e).__name__, e, log)

for name, f in sorted(vars(sample).items()):
    if not isinstance(f, types.FunctionType):
        continue
    try:
        g = types.FunctionType(cdbg.recompile(f.__code__), f.__globals__, f.__name__, f.__defaults__, f.__closure__)
        bad = [d for d in ([], [0], [1], [2, 0], [3, 4], [0, 1, 2], [5]) if run(f, d) != run(g, d)]
        print(name, [(run(f, d), run(g, d)) for d in bad] if bad else "same")
    except ValueError as e:
        print(name, e)
print("----")
for name in "one", "two", "looped", "waits", "found", "asserted", "annotated":
    print(cdbg.decompile(getattr(sample, name)), end="")
'''
text = compared(SAMPLE, CHECK, 11)
for part, name in (("    with Manager(log, 'a') as m:\n        log.append(m.name)\n        for x in data:\n", "with"),
                   ("    with Manager(log, 'a', True), Manager(log, 'b') as b:\n", "two managers"),
                   ("    async with Manager(log, 'a', True) as m:\n        async with Manager(log, 'b'):\n",
                    "async with"),
                   ("any(x > 2 for x in data)", "any()"), ("all(y for y in data)", "all()"),
                   ("tuple(z + 1 for z in data)", "tuple()"),
                   ("def g(a: T, b: 'text' = 3, *c: int, d: list[T] = 4, **e: dict) -> T:\n", "annotations")):
    ok(part in text, "as it was written: " + name, text)
done()
