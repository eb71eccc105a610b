#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A target that has one name several times is the same text again, where the compiler leaves stores out, too (CPython 3.12 and
later); a tuple among several targets is one of them; so is a set that `in` asks."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from outcomes import as_written, compared, decompiled  # noqa: E402

WRITTEN = r'''
def loop(a):
    for x, _, _, y, _ in a:
        print(x)
    return x, y, _

def within(a):
    for p, (q, r), s in a:
        print(p, q, r, s)

def nested(a):
    return [p + q for p, _, (q, _, _), _ in a]

def shortcut(a):
    return any(tag in {'delete', 'replace'} for tag, _, _, _ in a)

def generator(a):
    return ((k, v) for _, k, v, _ in a)

def starred(a):
    x, *_, y, _ = a
    return x, y, _

def statement(a):
    _, x, _ = a
    (y, _), _, _ = a
    return x, y, _

def pairs(x, a, b):
    (a, b), c = (b, a), x[-1]
    x.y, (a, b), c = x[0], (a, c), x[-1]
    (a, b), c = x[0], x[-1]
    return a, b, c

def stars(x, b):
    (a, *b), c = x[0], x[-1]
    c, (*a, b) = b, (c, a)
    ((a, b), *c), d = x[0], x[-1]
    a, (b, (*c, d)), e = x[0], x[1], x[2]
    x.a, (*b, x[c]) = b, (x.c, 1, 2)
    d, a = [a, 1], d
    a, x[0] = [d, (1, c)], x[0]
    return a, b, c, d, e

def sets(x):
    return x in {'a', 'b'}, x not in {(1, 2), (3, 4)}, x in {-1, 2, 10}
'''
as_written(WRITTEN, decompiled(WRITTEN, "all of them are compiled again"))

SAMPLE = r'''
def loop(a, log):
    for x, _, _, y in a:
        log.append((x, y, _))
    return x, y, _

def names(a, log):
    for x, y, x, y in a:
        log.append((x, y))
    z = [(x, y) for x, y, x, y in a]
    return x, y, z

def generator(a, log):
    return list(tag + last for tag, _, _, last in a)

def around(a, log):
    def inner():
        return x
    for _, x, x, _ in a:
        log.append(inner())
    return _

def writes_global(a, log):
    global G
    for _, G, G, _ in a:
        log.append(G)
    return _

def star(a, log):
    for x, *_, _ in a:
        log.append((x, _))
    return [x for *_, x in a]

class Slots:
    def __init__(self, log):
        object.__setattr__(self, "log", log)
    def __setattr__(self, n, v):
        self.log.append((n, v))
        object.__setattr__(self, n, v)
    def __setitem__(self, n, v):
        self.log.append((n, v))

def several(a, log):
    s = Slots(log)
    (x, *y), z = a[0], a[-1]
    s.x, (*y, s[z]), (s.z, (w, *x)) = y, a[0], (z, a[-1])
    (s.x, *s.y), z, x = a[0], x, s.x
    z, (*y, s.w), x = x, (z, y, s.z), y
    y, z = [z, (w, 1)], y
    z, s[0] = [y, w], s.x
    return x, y, z, w

def asked(a, log):
    return [x in {1, "s", None} for x, *_ in a], [x not in {1, 7} for x, *_ in a]
'''
CHECK = r'''
import sys, types
sys.path.insert(0, %r)
import cdbg
import sample

def run(f, data):
    log = []
    try:
        return repr((f(data, log), log))
    except Exception as e:
        return repr((e, log))

for name, f in sorted(vars(sample).items()):
    if isinstance(f, types.FunctionType):
        g = types.FunctionType(cdbg.recompile(f.__code__), f.__globals__, f.__name__, f.__defaults__, f.__closure__)
        data = [[], [(1, 2, 3, 4)], [(1, 2, 3, 4), (5, 6, 7, 8)], [(1, 2, 3, 4), (5,)], [("s", "t", "u", "v")], 3]
        bad = [d for d in data if run(f, d) != run(g, d)]
        print(name, [(run(f, d), run(g, d)) for d in bad] if bad else "same")
print("----")
def mixed(x):
    return x in {1, 'a', None}, x in {1}
print(cdbg.decompile(mixed))
'''
text = compared(SAMPLE, CHECK, 8)
ok("    return x in {'a', 1, None}, x in {1}\n" in text, "elements without an order are written in that of their texts", text)
done()
