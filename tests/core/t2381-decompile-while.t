#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""while statements are decompiled as they were written: with `else`, with conditions of several parts, with `continue`, one in another,
and with a `return` in the body or behind the loop, wherever CPython puts copies of the test and of the end."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from outcomes import as_written, decompiled, same_outcomes  # noqa: E402

SAMPLE = r'''
def tested_behind_another(f):
    n = 0
    while n < 3:
        n += 1
        if f(n):
            return n
    return 'none'

def returns_from_the_body(f):
    while f('a'):
        if f('b'):
            f('c')
            f('g')
            return 1
        f('d')
    f('e')
    f('g')

def with_else(f):
    while f('a'):
        if f('b'):
            f('c')
            break
        if f('d'):
            break
        f('e')
    else:
        f('f')
        return 1
    f('g')
    f('h')
    return 2

def one_in_another(f):
    while f('a'):
        while f('b'):
            f('c')

def two_conditions(f):
    n = 3
    while n > 0 and f('a'):
        n -= 1
        f('c')

def either_condition(f):
    n = 3
    while f('a') or n > 0:
        n -= 1
        if f('b'):
            f('x')
        else:
            f('c')
    return n

def three_conditions(f):
    n = 3
    while n > 0 and (f('a') or f('b')) and not f('c'):
        n -= 1
        with Manager(f, 'm'):
            f('d')
    f('e')

def returns_from_with(f):
    n = 3
    while not f('done'):
        with Manager(f, 'm'):
            if f('x'):
                return 3
            f('step')
    f('end')

def ends_in_a_branch(f):
    if f('a'):
        if f('b'):
            f('c')

def ends_in_a_loop(f):
    if f('a') and f('b'):
        for i in (1, 2):
            f(i)
'''

made = decompiled(SAMPLE, "such functions go through the decompiler")
as_written(SAMPLE, made)
same_outcomes(SAMPLE, 10)
done()
