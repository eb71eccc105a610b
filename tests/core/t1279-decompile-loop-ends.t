#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a loop's only break leads to, where it leaves the function, is written in the place of the break: no loop gets an `else`
that the source does not have."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from outcomes import as_written, decompiled, same_outcomes  # noqa: E402

WRITTEN = r'''
def deletes(f, args):
    while args:
        arg = args[0]
        if arg == '--':
            del args[0]
            return None
        f(arg)

def several(f, n):
    while not f.eof:
        data = f.read(n)
        if n < len(data):
            f.buffer = data
            f.offset = n
            n += data[:n]
            return n
        if data:
            return data
    return n

def tests(f, xs):
    while xs:
        x = xs.pop()
        if f(x):
            if x == 'INT':
                raise KeyboardInterrupt
            f(x, 'unknown')
            raise EOFError
    raise EOFError
'''
texts = decompiled(WRITTEN, "all of them are compiled again")
unlike(texts, r"\n    else:", "no loop of them has an `else`")
as_written(WRITTEN, texts)
same_outcomes(r'''
def outer(f):
    for i in range(2):
        while f("more"):
            if f("out"):
                if f("again"):
                    f("continue")
                    continue
                f("a")
                f("b")
                return f("value")
            f("round")
        else:
            f("else")
    return "end"

def leaves_outer(f):
    for i in range(2):
        while f("more"):
            if f("out"):
                break
            f("round")
        else:
            return f("else")
        if f("outer"):
            break
        return f("value")
    return "end"

def covered(f):
    while f("more"):
        try:
            if f("out"):
                break
        finally:
            f("finally")
        f("round")
    else:
        return f("else")
    f("a")
    return f("value")

def within(f):
    while f("more"):
        with Manager(f, "m"):
            if f("out"):
                break
    else:
        return f("else")
    if f("a"):
        raise ValueError("b")
    return f("value")
''', 4)
done()
