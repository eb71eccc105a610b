#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Defaults and annotations of functions within functions are on their line, whatever they are: lists, too, and `*args: *value`.
They are evaluated once, in the same order as before."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from outcomes import as_written, decompiled, same_outcomes  # noqa: E402

WRITTEN = r'''
def lists(a):
    def f(x: [int], y: {'k': [a]} = [], *z: [[a]], k=[a, [1]], **kw: a) -> [a.b]:
        return x
    return f

def starred(a):
    def f(x: int, *args: *a.b, y: a = 3, **kw: a) -> 3:
        return args
    def g(*args: *a | a):
        return args
    return f, g

def positional(a):
    def f(x: [int], y, /, z: a.b) -> a():
        return x
    @a.c
    def g(x: a = [], /, *, y: list[a] = {}):
        return x, y
    return f, g

def shared(a):
    b = []
    def f(x=b, y=b, *, z: b = b):
        return x, y, z
    return f

def strings(a):
    def f(x: 'a', *y: 'b', z: 'c' = []) -> 'd':
        return x
    return f

def methods(a):
    class C:
        def f(self, x: [a] = [], *args: *a) -> list['C']:
            return x
    return C
'''
texts = decompiled(WRITTEN, "all of them are compiled again")
as_written(WRITTEN, texts)

FUNCTIONS = r'''
def order(f):
    def g(x: f(4) = [f(1)], y=[f(2), [f(3)]], *z: [f(5)], k: f(6) = 3) -> [f(7)]:
        return x, y, z, k
    return g(), values(g)

def values(g):
    try:
        return {k: repr(v) for k, v in g.__annotations__.items()}
    except (ValueError, KeyError) as e:
        return repr(e)

def kept(f):
    def g(x=[], *, y=[f(1)]):
        x.append(f(2))
        y.append(3)
        return x, y
    g()
    return g(), g.__defaults__, g.__kwdefaults__

def starred(f):
    def g(*x: *[f(1)], y: f(2) = f(3)):
        return x, y
    return g(1), values(g)

def too_many(f):
    def g(*x: *(f(1) or [1, 2])):
        return x
    return g(1), values(g)

def none_of_these(f):
    class A: pass
    a, b = A(), {}
    (a.x,) = [lambda x: f(x)]
    (b[lambda: 0],) = [f(1)]
    def g(x: int): return x
    (c,) = [f(2)]
    return a.x(3), list(b.values()), c, values(g)

def same_list(f):
    b = [f(1)]
    def g(x=b, y=b, *, z: b = b):
        return x is y, y is z
    return g()

def conditional(f):
    def g(x: [f(1)] if f(2) else [f(3)] = [4] if f(5) else f(6)):
        return x
    return g(), values(g)

def in_class(f):
    class C:
        def g(self, x: [f(1)] = [f(2)], *y: *[f(3)]) -> [f(4)]: return x, y
        z: [f(5)] = [f(6)]
    return C().g(), values(C.g), values(C), C.z
'''
FUTURE = r'''
from __future__ import annotations
def future(f):
    def g(x: f(1), *y: *f(2), z: [int] = [f(3)]) -> list[C]: return x, y, z
    class C:
        a: f(4) = f(5)
        def m(self: C) -> f(6): pass
    return g(1), g.__annotations__, C.__annotations__, C.m.__annotations__
'''
same_outcomes(FUNCTIONS, 9)
made = run_python(FUTURE + r'''
import cdbg, types
def f(x): return x
g = types.FunctionType(cdbg.recompile(future.__code__), globals())
print(future(f) == g(f), future(f))
print(cdbg.decompile(future))
''') if 0 else None
done()
