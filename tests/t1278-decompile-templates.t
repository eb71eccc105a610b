#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Template strings (CPython 3.14 and later) are decompiled as such, and compiled again they have the same strings, values, source
texts, conversions and formats."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *  # noqa: E402,F403
from outcomes import as_written, compared, decompiled  # noqa: E402

if version() < (3, 14):
    skip_all("template strings are those of CPython 3.14 and later")

WRITTEN = r'''
def plain(a, b):
    return t"hello {a} {b!r} {{}}", t"", t"just text"

def formats(a, b):
    return t"{a:>5} {b!s:{a}} {a + 1:.{b}f}"

def nested(a, b):
    x = t"{a[0]} {b.real} {print(a, b)}"
    return t"{x} and {a if b else 3}"
'''
as_written(WRITTEN, decompiled(WRITTEN, "all of them are compiled again"))

SAMPLE = r'''
def plain(a, b):
    return t"hello {a} world {b!r}{a!s}{b!a}{{}}"

def debug(a, b):
    return t"{a=} {b + 1=:>{a}} {a = !s}"

def spaces(a, b):
    return t"{ a } {a+b} {  b  :x}{a   !r}"

def quotes(a, b):
    return t'{"q"}{f"{a}"}{a["k"] if b == 77 else "\n"}' t"\n\t\"x\\{a}"

def lines(a, b):
    return t"""{
        a + # why
        b
    } end"""

def choice(a, b):
    return t"{a if b else 3} {a and b} {[i for i in range(a)]} {(lambda: b)()}"

def braces(a, b):
    return t"{ {1: a}[1] }{ {b} }{a != b}{a:{b}}{a:{'>'}{b}}"

def fails(a, b):
    return t"{a}{1 // b}{a / 0}"

def none(a, b):
    return t""

def kept(a, b):
    c = t"{a}" t"{b}" t"c"
    a = 9
    return c, t"{c}{t"{b}"}"

def spec_const(a, b):
    return t"{a:}{b:  x{{}}}" if a else t"{b!r:}"
'''
CHECK = r'''
import sys, types
sys.path.insert(0, %r)
import cdbg
import sample
from string.templatelib import Template, Interpolation

def flat(v):
    if isinstance(v, Template):
        return "t", v.strings, [flat(i) for i in v.interpolations]
    if isinstance(v, Interpolation):
        return flat(v.value), v.expression, v.conversion, v.format_spec
    if isinstance(v, tuple):
        return [flat(i) for i in v]
    return repr(v)

def run(f, data):
    try:
        return repr(flat(f(*data)))
    except Exception as e:
        return repr(e)

for name, f in sorted(vars(sample).items()):
    if isinstance(f, types.FunctionType):
        try:
            g = types.FunctionType(cdbg.recompile(f.__code__), f.__globals__, f.__name__)
        except ValueError as e:
            print(name, e)
            continue
        data = [(1, 2), (0, 3), (4, 0), ("s", "t"), (2.5, 3)]
        bad = [d for d in data if run(f, d) != run(g, d)]
        print(name, [(run(f, d), run(g, d)) for d in bad] if bad else "same")
print("----")
print(cdbg.decompile(sample.spaces), cdbg.decompile(sample.quotes))
'''
text = compared(SAMPLE, CHECK, 11)
ok("Interpolation(a, ' a ', None), ' ', Interpolation(a + b, 'a+b', None)" in text,
   "where the source had other spaces, the calls that make the same are written, with its text", text)
ok("Interpolation(f\"{a}\", 'f\"{a}\"', None)" in text, "and where it had quotes", text)
done()
