#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Decompiled source reads as a person would write it: two variables are exchanged by one statement, a way that leaves comes first and
needs no `else`, `elif` is one, a function's last statements do not return None, and a comprehension alone has no variable without a name."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
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
if sys.version_info >= (3, 12):
    skip("what a comprehension alone fills has a name", "comprehensions have code of their own on CPython 3.11 only")
else:
    p = python(script(r'''
        import cdbg
        def f(x, new_set):
            return [i + 1 for i in x], {i for i in x}, {new_dict: 1 for new_dict in x}
        for code in f.__code__.co_consts:
            if hasattr(code, "co_code"):
                print(cdbg.decompile(code))
                cdbg.recompile(code)
    '''))
    ok(all("    %s = " % name in p.stdout for name in ("new_list", "new_set", "new_dict_")) and "_t1" not in p.stdout and not p.returncode,
       "what a comprehension alone fills has a name", p.stdout + p.stderr)
done()
