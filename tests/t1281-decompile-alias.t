#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Type aliases within functions (CPython 3.12 and later) are decompiled as such, and evaluated as late as before; what has type
parameters is compiled again from its code object, or refused with its line."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *  # noqa: E402,F403
from outcomes import as_written, compared, decompiled  # noqa: E402

if version() < (3, 12):
    skip_all("type aliases are those of CPython 3.12 and later")

WRITTEN = r'''
def alias(a):
    type X = int
    type Late = dict[X, a.nothing]
    return X, Late

def shared(a):
    type X = list[X] | None
    def f():
        return X
    return f
'''
as_written(WRITTEN, decompiled(WRITTEN, "all of them are compiled again"))

SAMPLE = r'''
def plain(a):
    type X = int
    type Y = (X, a, "text")
    return X, Y

def late(a):
    type X = a.nothing
    a = 5
    type Y = a
    a = 6
    return X, Y

def recursive(a):
    type X = list[X] | None
    return X, (lambda: X)()

def choice(a):
    if a:
        type X = int if a else nothing_here
    else:
        X = 3
    return X

def values(a):
    type X = [i + a for i in range(2)]
    type Y = lambda: a
    return X, Y.__value__()

def stored(a):
    global G
    type G = str | a
    return G

def looped(a):
    out = []
    for i in range(2):
        type X = i
        out.append(X)
    return out

def generic(a):
    def h[T](x: T, y=3) -> list[T]:
        return x, y
    class C[U](list):
        def m[V: int](self, x: U, z: V): return x, z
    type Y[A: (int, str), *B, **P] = dict[A, a]
    return h(4), h.__type_params__, C([1]).m(2, 3), C.__type_params__, Y.__type_params__, Y

def format(a):
    type format = a
    type X = format
    return X
'''
CHECK = r'''
import sys, types
sys.path.insert(0, %r)
import cdbg
import sample

def flat(v):
    if isinstance(v, (tuple, list)):
        return [flat(i) for i in v]
    if type(v).__name__ == "TypeAliasType":
        if v.__name__ in "XYG" and "recursive" not in str(v.__module__):
            try:
                value = v.__value__
                value = repr(value) if v not in getattr(value, "__args__", ()) else "itself"
            except Exception as e:
                value = repr(e)
            return v.__name__, repr(v.__type_params__), v.__module__, value
    return repr(v)

def run(f, a):
    try:
        return repr(flat(f(a)))
    except Exception as e:
        return repr(e)

for name, f in sorted(vars(sample).items()):
    if isinstance(f, types.FunctionType):
        try:
            g = types.FunctionType(cdbg.recompile(f.__code__), f.__globals__, f.__name__)
        except ValueError as e:
            print(name, e)
            continue
        bad = [a for a in (0, 1, int, "s") if run(f, a) != run(g, a)]
        print(name, [(run(f, a), run(g, a)) for a in bad] if bad else "same")
print("----")
def within():
    class C:
        type X = int
        def m[T](self, a: T): return a
    return C
def parameters[T](x):
    type X[A: T] = dict[A, T]
    return X
def classes():
    class C:
        type X = int
        x: X
    return C
for f in within, parameters, classes:
    try:
        g = types.FunctionType(cdbg.recompile(f.__code__), globals(), f.__name__, None, f.__closure__)
        v, w = (f(), g()) if f is not parameters else (f(1), g(1))
        print(f.__name__, v.X.__value__ == w.X.__value__ if f is not parameters else v.__name__ == w.__name__)
    except ValueError as e:
        print(f.__name__, e)
print(cdbg.decompile(sample.generic))
'''
text = compared(SAMPLE, CHECK, 9)
like(text, r"(?m)^within (True|cannot recompile '[^']+': .*, at line \d+)$", "an alias in a class is the same, or refused with its line")
like(text, r"(?m)^parameters (True|cannot recompile '[^']+': .*, at line \d+)$", "one with type parameters, too")
like(text, r"(?m)^classes (True|cannot recompile '[^']+': .*, at line \d+)$", "and one that an annotation names")
done()
