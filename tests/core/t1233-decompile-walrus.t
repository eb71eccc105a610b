#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Assignments within conditions and comprehensions, and decorators, are written as such; compiled again they do the
same."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from cdbgtest import environment, PATIENCE

SAMPLE = r'''
import functools

def tested(f):
    if (n := f()) > 3:
        return n
    while (c := f()) is not None:
        n += c
    return n

def both(f, d):
    if (m := f()) and (k := f()) and m != k:
        return m, k
    elif m := f():
        return m, d
    return 'none'

def filtered(data):
    return [y for x in range(5) if (y := x * data) > 2]

def found(data):
    if any((hit := x) > 3 for x in data):
        return hit
    return None

def decorated(f):
    @functools.wraps(f)
    def g(*a):
        return f(*a)
    @functools.lru_cache(maxsize=None)
    @functools.wraps(g)
    def h(a: int, b: 'str' = 3) -> float:
        return a, b
    return g, h
'''

# what is evaluated when, and which value of the variable is read
ORDER = r'''
import functools
import sys

def before(f):
    n = 1
    if n + (n := f()) + n > 20:
        return n
    return -n

def nested(f):
    n = 5
    return [n, 0 if (n := f()) and n > 3 else n, n]

def chained(f):
    if 0 < (n := f()) < 9 and (n or (m := f())):
        return n
    return locals().get("m")

def around(f):
    a = b = f()
    while (a := f()) and (b := a + b) < 60:
        try:
            if (c := f()) is None: break
        except ValueError:
            pass
        else:
            b += c
    return a, b

def element(f):
    return [(v := f(), v * 2) for i in range(3) if (w := i + 1)] + [v, w]

def cell(f):
    if (n := f()) and (lambda: n)() > 3:
        return lambda: n
    return None

total = 0
def globals_too(f):
    global total
    if (total := f()) > 3:
        return total
    return 0

def generator(f):
    while chunk := f():
        yield chunk

def subscript(f, d={}):
    i = 3
    d[i] = 1 if (i := f()) else 2
    x = f() + ((i := 4) if i else 0)
    return d, i, x

def shared(f):
    n = 1
    def inner():
        nonlocal n
        return [x for x in range(3) if (n := f())]
    return inner(), n

seen = None
def outside(f):
    global seen
    return [[(seen := f()) for y in range(2) if x] for x in range(2)], seen

def twice(f):
    a = b = f()
    if b is not None:
        b = (a := (b, f())) == (a := 3) == f(), (a := f()) == f() and (a := 7)
    return a, b

def truths(f):
    a = not not f()
    b = not not a if (c := f()) else -(not not c), not f(), not not not f()
    return a, b, [not not x for x in (a, c, 3)]

def mark(name, log):
    log.append("made " + name)
    def deco(of):
        log.append(name + " gets " + getattr(of, "__name__", "?"))
        return of
    return deco

def default(log):
    log.append("default")
    return 1

def ordered(f):
    log = []
    @mark("a", log)
    @mark("b", log)
    def g(x=default(log), y=f()):
        return x, y
    @mark("c", log)
    def g(x=default(log)):
        return x
    h = mark("d", log)(lambda: 3)
    plain = mark("e", log)
    @plain
    @plain
    def k(z=lambda q=f(): q): return z()
    return log, g(), h(), k(), g.__name__, k.__qualname__, k.__defaults__[0].__name__

FUNCTIONS = [before, nested, chained, around, element, cell, globals_too, generator, subscript, shared, outside, twice, truths,
             ordered]
'''

CHECK = r'''
import sys, types
sys.path.insert(0, %r)
import cdbg
import order
import sample
from sample import *
for f in tested, both, filtered, found, decorated:
    print(cdbg.decompile(f), end="")
print("----")

def calls(values):
    it = iter(values)
    return lambda: next(it, None)

def outcome(f, values):
    try:
        v = f(calls(values)) if f.__name__ != "filtered" else f(3)
        return repr(list(v)) if isinstance(v, types.GeneratorType) else repr(v() if callable(v) else v)
    except Exception as e:
        return "%%s: %%s" %% (type(e).__name__, e)

wrong = []
for f in [tested, lambda g: both(g, 1), filtered] + order.FUNCTIONS:
    if f.__name__ == "<lambda>":
        g = lambda h, new=types.FunctionType(cdbg.recompile(both.__code__), both.__globals__): new(h, 1)
    else:
        g = types.FunctionType(cdbg.recompile(f.__code__), f.__globals__, f.__name__, f.__defaults__, f.__closure__)
    for values in [], [1], [5, 6, 7], [2, 3, 9, 0, 4], [0, 3, 1], [9, 2, 50, 4]:
        if outcome(f, values) != outcome(g, values):
            wrong.append("%%s%%r: %%s, %%s" %% (f.__name__, values, outcome(f, values), outcome(g, values)))
for f in (found,):
    g = types.FunctionType(cdbg.recompile(f.__code__), f.__globals__)
    for data in [], [1, 5, 6], [1, 2]:
        if f(data) != g(data):
            wrong.append("found")
print(repr(wrong))
'''
folder = os.path.dirname(script(SAMPLE, "sample.py"))
script(ORDER, "order.py", folder)
made = subprocess.run([interpreter(), script(CHECK % folder, "check.py", folder)], capture_output=True, text=True,
                      env=environment(), timeout=120 * PATIENCE)
is_((made.returncode, made.stderr), (0, ""), "functions with assignments in expressions go through the decompiler")
text, _, wrong = made.stdout.partition("----\n")
sample = SAMPLE.replace("import functools\n\n", "", 1)
sample = sample.replace("    elif m := f():", "    if m := f():")
sample = "\n".join(line for line in sample.splitlines() if line)
for name, want in zip(("if and while", "and, or, elif", "a comprehension's condition", "a generator's element", "decorators"),
                      ("def " + s for s in sample[4:].split("\ndef "))):
    ok(want.replace("\n    return None", "").rstrip() + "\n" in text, "as it was written: %s" % name, (want, text))
is_(wrong, "[]\n", "what is compiled again evaluates the same in the same order")
done()
