#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Conditions that are recompiled are evaluated as often and in the order that they were: the test of a loop that a `continue` in an
else clause would skip, and an assignment whose value assigns the same variable."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from outcomes import same_outcomes  # noqa: E402

same_outcomes(r'''
def in_else_of_try(f):
    a, b = 1, 2
    while f('1'):
        while f('2'):
            try:
                a, b = b, a
            except (ValueError, KeyError) as e:
                break
            a, b = b, a
    while f('3'):
        a += 1
    else:
        try:
            f('4')
        finally:
            del a

def in_else_of_for(f):
    n = 0
    while f('1'):
        while f('2'):
            for k in (1, 2):
                if f('3'):
                    break
                n += k
            else:
                continue
            break
    return n, f('4')

def after_handler(f):
    a = 1
    while f('1'):
        while f('2'):
            try:
                a += 1
                f('3')
            except ValueError:
                f('4')
                break
            else:
                if f('5'):
                    continue
                a *= 2
        f('6')
    try:
        return a
    finally:
        del a

def assigned_twice(f):
    a = 0
    if f('1') and (a := [(a := f(q)) for q in ('2', '3')]):
        f('4')
    return a

def assigned_in_loop(f):
    a = 0
    while f('1') and (a := f(str((a := 1) + a))):
        f('2')
    return a, f(str((a := 2)), (a := 3)) if a else 4
''', 5)

done()
