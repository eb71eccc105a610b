#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Decompiled source reads as a person would write it: two variables are exchanged by one statement, a way that leaves comes first and
needs no `else`, `elif` is one, and a function's last statements do not return None."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *  # noqa: E402,F403
from outcomes import as_written, decompiled, same_outcomes  # noqa: E402

SAMPLE = r'''
def exchanged(f):
    x, y = f('x'), 2
    x, y = y, x
    while y:
        x, y = y, f(x)
    return x, y

def guarded(f):
    while True:
        line = f('line')
        if not line:
            break
        f(line)
        f('next')
    for i in (1, 2, 3):
        if not f(i) and i != 2:
            raise KeyError(i)
        f('more')
    return i

def chained(f):
    for i in (1, 2):
        if f('a'):
            f('b')
        elif f('c'):
            raise ValueError(i)
        elif f('d'):
            return i
        else:
            f('e')
        f('f')
    f('g')

def ended(f):
    a = f('a')
    try:
        f('b')
    except ValueError:
        with Manager(f, 'm'):
            f('d')
'''

made = decompiled(SAMPLE, "such functions go through the decompiler")
as_written(SAMPLE, made)
same_outcomes(SAMPLE, 4)
done()
