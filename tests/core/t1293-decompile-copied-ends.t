#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What follows a value with a condition is written once, also where the compiler has copied it to the end of each way (CPython 3.12
and later), and so is what follows a with statement or tests a loop where only one of the copies may find a variable unbound, and what follows a loop
that is left in a with statement."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from outcomes import as_written, decompiled, same_outcomes  # noqa: E402

WRITTEN = r'''
def passed(f, g, a):
    return f(1, g, a if a else 3)

def stored(f, a):
    x = f(1, a if a else 3)
    return x

def chosen(f, a, b):
    return f(a if b else b if a else 3)

def either(f, a, b):
    return f(a or b)

def method(a, b):
    return a.b(1).c(a if b else [b], k=2)

def subscript(a, b):
    return a[b if a else 3]

def class_of(a, b):
    class C(a if b else object):
        x = a
    return C

def statements(a, b):
    if b:
        return a(1)
    return a(2)

def assigned_within(f, a):
    with f(a) as b:
        c = b(1)
    return c + 1

def returned_within(f, a):
    with f(a), f(1):
        b = a(2)
        if b:
            return 3
    return b.c(a)

def left(f, a):
    for b in a:
        for c in b:
            with f(c):
                d = f(b)
                if d:
                    break
        with f(b) as e, f(d):
            break
    return f(1)

def left_or_returned(f, a):
    for b in a:
        with f(b):
            if f(1):
                break
            if f(2):
                return a
            b = f(3)
    return b + 1

def tested(f, a):
    for b in a:
        f(b)
    while b > 1:
        b = f(b)
    return b - 1
'''
as_written(WRITTEN, decompiled(WRITTEN, "all of them are compiled again"))
same_outcomes(r'''
def passed(f):
    return [f(1), f(2) if f(3) else f(4)]

def chosen(f):
    return [f(1), f(2) if f(3) else f(4) if f(5) else f(6)]

def nested(f):
    return [f(1), (f(2) if f(3) else f(4)) if f(5) else f(6)]

def either(f):
    x = [f(1), f(2) or f(3), f(4) and f(5)]
    return x

def in_try(f):
    try:
        return [f(1), f(2) if f(3) else f(4)]
    except ValueError:
        return [f(5), f(6) if f(7) else 8]

def in_finally(f):
    try:
        return [f(1), f(2) if f(3) else f(4)]
    finally:
        f(5)

def in_with(f):
    with Manager(f, "m") as m:
        return [m, f(2) if f(3) else f(4)]

def after_with(f):
    with Manager(f, "m"):
        x = f(1)
    return x, f(2)

def left(f):
    for i in range(2):
        with Manager(f, "m"):
            x = f(i)
            break
    return [x, f(5)]

def left_in_with(f):
    with Manager(f, "m"):
        for i in range(2):
            with Manager(f, "n"):
                if f(i):
                    break
                if f(6):
                    return i
        return i + f(5)

def after_loop(f):
    if f(1):
        x = f(2)
    while x:
        if f(3):
            break
        x = f(4)
    return [x, f(5)]

def in_loop(f):
    for i in range(2):
        if f(i):
            return f(3) if f(4) else f(5)
        else:
            return [i, f(6) if f(7) else f(8)]

def one_line(f):
    if f(1): return [f(2), 3]
    else: return [f(2), 4]

def compared(f):
    return [0, f(1) == f(2) == f(3), f(4) if f(1) == "yes" == f(2) else 5]
''', 14)
done()
