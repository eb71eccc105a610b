#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Decompiled source has slices and several keys between brackets as they were written: x[:, 0], x[1:n, ..., None]."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from outcomes import as_written, compared, decompiled  # noqa: E402

SAMPLE = r'''
def loaded(x, n, i=0):
    return x[:, 0], x[1:n, ..., None], x[::2], x[1:5], x[i, n]

def odd(x, n):
    return x[0, 1], x[0,], x[n,], x[()], x[:], x[:,], x[::-1, 1:2:3], x[(0, 1), n]

def stored(x, n):
    x[:, 0] = 1
    x[1:n] = 2
    x[0, 1] = 3
    del x[:, 1:2], x[3:], x[0, n]

def changed(x, i, j):
    x[i] += 2
    x[i, j] += 2
    x[0:1] += 2
    x[:, 0] += 1
    x[i:j, ::2] -= 1
    x.y[i:j] *= 3
    return x

def nested(x, f):
    return x[f(1):f(2), f(3)], x[x[1:], x[:1, 2]]

def named(x, n):
    s = slice(1, n)
    t = s, 1
    return x[slice(None), 0], x[s], x[t], {(1, 2): x}[1, 2]
'''

text = decompiled(SAMPLE, "all are decompiled")
as_written(SAMPLE.replace("del x[:, 1:2], x[3:], x[0, n]", "del x[:, 1:2]\n    del x[3:]\n    del x[0, n]"), text)

KEPT = r'''
class Kept:
    def __init__(self, log): self.log = log
    def __getitem__(self, key): self.log.append(("get", key)); return Kept(self.log)
    def __setitem__(self, key, v): self.log.append(("set", key))
    def __delitem__(self, key): self.log.append(("del", key))
    def __getattr__(self, name): self.log.append(name); return Kept(self.log)
    def __iadd__(self, v): self.log.append(v); return self
    __isub__ = __imul__ = __iadd__
    def __index__(self): return 1
    __hash__ = object.__hash__
'''
CHECK = r'''
import sys, types
sys.path.insert(0, %r)
import cdbg
import sample

def outcome(f):
    log = []
    def call(n):
        log.append(n)
        return n
    arguments = {"x": sample.Kept(log), "f": call, "n": 3, "i": 1, "j": 2}
    try:
        f(*[arguments[name] for name in f.__code__.co_varnames[:f.__code__.co_argcount]])
    except Exception as e:
        log.append(repr(e))
    return repr([item if isinstance(item, (int, str)) else (item[0], repr(item[1]).split(" at ")[0]) for item in log])

for name, f in vars(sample).items():
    if isinstance(f, types.FunctionType):
        g = types.FunctionType(cdbg.recompile(f.__code__), vars(sample), name, f.__defaults__)
        print(name, "same" if outcome(f) == outcome(g) and len(outcome(f)) > 20 else (outcome(f), outcome(g)))
print("----")
'''
compared(KEPT + SAMPLE, CHECK, 6)
done()
