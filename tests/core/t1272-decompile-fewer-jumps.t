#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Statements that took a variable of the decompiler's own, and tests of it, are written as a person writes them: loops that are
left in two ways, values of `and` and `or`, what follows a with statement, a with statement in a `finally`."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from outcomes import as_written, decompiled, same_outcomes  # noqa: E402

# each as it is expected
SAMPLE = r'''
def kept(f):
    a = f('a')
    b = (a and f('b') or f('c')) + 'x'
    c = [f('d'), a and f('e') or f('g'), (a or f('h')) and f('i')]
    return b, c

def after_with(f):
    a = f('a')
    with Manager(f, 'm') as b:
        if f('b'):
            f('c')
    return f(a)

def in_finally(f):
    try:
        f('a')
    finally:
        with Manager(f, 'm'):
            f('b')

def in_clause(f):
    try:
        f('a')
    except ValueError:
        with Manager(f, 'm'):
            f('b')
        raise
    return f('c')

def for_else(f):
    for i in (1, 2):
        for k in (3, 4):
            if f('a'):
                f(k)
                break
        else:
            f('none')
            break
    f('end')
    f('left')
    f('again')
    f('and again')
    return i
'''

# others: what they do is compared
MORE = r'''
def unbound(f):
    try:
        if f('a'):
            i = 3
    except ValueError:
        f('b')
    except:
        while f('c'):
            f('d')
    return i, i

def left(f):
    a, b = f('a'), 2
    try:
        del a
    except Exception:
        f('b')
    finally:
        a, b = b, a
    return a, b

def behind(f):
    try:
        f('a')
    except ValueError as e:
        for c in (1, 2):
            with Manager(f, 'm'):
                return f('b') and f('c')
            f('d')
    except KeyError:
        f('d')
    f('e')
    f('f')
    return 3

def deleted(f):
    a = f('a')
    try:
        if a:
            del a
        f('b')
    except Exception:
        f('c')
    else:
        f('d')
    finally:
        del a
    return 3

def restored(f):
    a, b = 1, 2
    try:
        with Manager(f, 'm'):
            return f('a')
    except KeyError:
        f('b')
    finally:
        a, b = b, a
    return a, b

def nothing(f):
    while f('a'):
        if f('b') or f('c'):
            continue
    if f('d'):
        pass
    return f('e')

def two_ways(f):
    for i in (1, 2):
        k = i
        while k < 4:
            if f(k):
                f("found")
                break
            k += 1
    return i, k

def caught(f):
    while True:
        try:
            a = f('a')
        except ValueError:
            break
        if a == "yes":
            f('b')
        elif a:
            if not f('c'):
                raise KeyError(a)
            f('d')
            break
        f('e')
    f('f')

def again(f):
    while True:
        a = f('a')
        if a:
            while True:
                b = f('b')
                if b == "yes":
                    f('c')
                    break
                elif not b:
                    f('d')
                    break
        elif f('e'):
            break
    f('f')
'''

made = decompiled(SAMPLE + MORE, "functions with such statements go through the decompiler")
as_written(SAMPLE, made)
for name in ("two_ways", "caught", "again"):
    text = made.partition("def %s(" % name)[2].partition("\ndef ")[0]
    ok(text and "_t" not in text, "a loop that is left in two ways needs no variable: " + name, text)
same_outcomes(SAMPLE + MORE, 14)
done()
