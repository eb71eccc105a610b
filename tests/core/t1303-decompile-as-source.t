#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Statements are decompiled as a person wrote them: the arm of an `if` that comes first is first, what a loop skips is skipped by
`continue`, a `while` with a break last is a `while`, several targets are those of one assignment, and a long line continues where there is room."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from outcomes import as_written, decompiled, same_outcomes  # noqa: E402

WRITTEN = r'''
def arms(a, f):
    if a is None:
        f(1)
    else:
        f(2)
    if not f.x:
        a = f()
    elif a not in f.y:
        a = f.z()
    else:
        a = 3
    if not a and (f.x == 0 or f.y):
        a = 4
    elif 0 < a <= 2:
        a = 5
    if not f.last:
        return a, 6
    return f(a)

def adds(x, a, f, o):
    x[f(a)] += 1
    x[f(1):f(2)] -= f(3)
    x[a:f(), f(1)] += 1
    o.x.y[f(2):] *= f(a)

def skips(n, f):
    for i in f(n):
        if i == 1:
            continue
        f(i, n)
        if i > 4 or f(i):
            continue
        f(n, i)
        f(n)
    for i in n:
        if not i:
            f(i)
    for i in n:
        if i is not None:
            f(i)
            f(n)

def breaks_last(x, f):
    while x and f.x():
        x = f(x)
        if x > 3:
            break
    while f(x):
        f(2)
        if f(3) or f(4) and x:
            break
    f(x.first, x.last, 7)

def rotates(a, b, c, d):
    a, b, c = b, c, a
    a, b, c, d = d, c, b, a
    return a, b, c, d

def stores(xs, i, o, f):
    xs[i], xs[i + 1] = xs[i + 1], xs[i]
    o.a, o.b, xs[0] = xs[0], o.a, o.b
    o.a, o.b, xs[0], xs[1] = xs[0], o.a, o.b, f()
    o.n, o.t, o.p = 0, 0.0, -f.inf
    o.n, o.t, o.p = -f.inf, 0.0, f()
    i, o.x = o.x, i
    o.x, i = i, o.x
    return i

def displays(d, e, a):
    f = {**d, 'k': 1}
    g = {**d, 'a': 1, 'b': a, **e, 'c': a}
    return f, g, {'z': 1, **{'y': a}}, {**d, **e, **{}}, dict(**d, **{'k': a})

def far(resumed, first, second):
    return resumed((first.argument, second.argument))([], [], first, [first[0], first[1]], second,
            [[first[0], first[1], second[2]], [first[3], first[4], second[5]]], second)

def parameters(f, first):
    return f([lambda value, k=0: value * k, lambda value, k=1: value * k,
              lambda value, k=2: value * k], first)
'''
as_written(WRITTEN, decompiled(WRITTEN, "all of them are compiled again"))
same_outcomes(r'''
class Log:
    def __init__(self, f, name):
        self.__dict__.update(f=f, name=name)
    def __setattr__(self, name, value):
        self.f("set %s.%s" % (self.name, name))
    def __getattr__(self, name):
        return self.f("get %s.%s" % (self.name, name))

def stores(f):
    o, p = Log(f, "o"), Log(f, "p")
    o.a, p.b = p.b, o.a
    o.a, p.b, o.c = 0, f("x"), 1
    x, o.a = o.b, "before"
    o.x, x = x, o.x
    return x

def walruses(f):
    o, t = Log(f, "o"), 0
    a = t
    o.x, o.y = (a := f("x")), a
    a, o.x = (t := f("y")), t
    a, o.x = t, (t := f("z"))
    return a, t

def skips(f):
    for i in range(2):
        if f("skip") == "yes":
            continue
        f("a")
        if not f("b"):
            f("c")
            continue
        f("d")
    while f("more"):
        if f("out"):
            break
    return "end"

def arms(f):
    if not f("a") or f("b"):
        x = f("one")
    else:
        x = f("two")
    if not x:
        return f("three")
    return f("four")
''', 4)
done()
