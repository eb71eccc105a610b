#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Decompiled source reads as a person would write it: two variables are exchanged by one statement, a way that leaves comes first and
needs no `else`, `elif` is one, and a function's last statements do not return None."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *  # noqa: E402,F403
from cdbgtest import environment, PATIENCE
from outcomes import outcomes  # noqa: E402

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

CHECK = r'''
import sys, types
sys.path.insert(0, %r)
import cdbg
import texts
for f in vars(texts).copy().values():
    if isinstance(f, types.FunctionType):
        cdbg.recompile(f.__code__)
        print(cdbg.decompile(f))
'''
folder = os.path.dirname(script(SAMPLE, "texts.py"))
made = subprocess.run([interpreter(), script(CHECK % folder, "check.py", folder)], capture_output=True, text=True,
                      env=environment(), timeout=60 * PATIENCE)
is_((made.returncode, made.stderr), (0, ""), "such functions go through the decompiler")
for want in SAMPLE[4:].split("\ndef "):
    want = "def " + want.strip() + "\n"
    ok(want in made.stdout, "as it was written: " + want.split("(")[0][4:], (want, made.stdout))
results, errors = outcomes(SAMPLE)
is_(errors, "", "what is compiled again can be called")
for name in sorted(results):
    is_(results[name], "same", "compiled again it does the same: " + name)
is_(len(results), 4, "all of them are compiled again")
done()
