#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Items and attributes of what an expression gives are changed in one statement, and a call with `**` has its arguments as they were
written."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from outcomes import as_written, decompiled, same_outcomes  # noqa: E402

SAMPLE = r'''
class Box:
    def __init__(self, f):
        self.f, self.x, self.items = f, 1, [1, [2, 3]]
    def at(self, what):
        self.f(what)
        return self
    def __getitem__(self, i):
        self.f('get %s' % i)
        return self.items[i]
    def __setitem__(self, i, v):
        self.f('set %s %s' % (i, v))
        self.items[i] = v

def keyed(*args, **more):
    return args, sorted(more.items())

def changes_attributes(f):
    b = Box(f)
    b.at('a').x += 4
    b.at('b').at('c').x -= f('d') and 1 or 2
    b.items[1][0] *= 5
    return b.x, b.items

def changes_items(f):
    b = Box(f)
    b.at('a')[f('k') and 0 or 0] += 2
    b[1][f('l') and 1 or 0] += b.x
    b.at('b').items[0] += 1
    return b.items

def passes(f):
    more = {'z': f('z')}
    a = f('a')
    keyed(a, **more)
    keyed(1, 2, **more)
    return keyed(a, f('b'), y=1, **more), keyed(*more, **more)
'''

made = decompiled(SAMPLE, "such functions go through the decompiler")
functions = "\ndef changes_" + SAMPLE.split("\ndef changes_", 1)[1]
for want in functions.split("\ndef ")[1:]:
    for line in want.strip().splitlines()[1:]:
        if " or " not in line and not line.strip().startswith("return"):
            ok(line in made.splitlines(), "as it was written: " + line.strip(), made)
same_outcomes(SAMPLE, 4)
done()
