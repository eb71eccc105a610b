#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# match statements come out of the decompiler as they were written, and choose the same cases when they are compiled again.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *

SAMPLE = r'''
import collections
import types
import cdbg

log = []
def step(x):
    log.append(x)
    return x

class Point:
    __match_args__ = ("x", "y")
    def __init__(self, x, y): self.x, self.y = x, y
    def __eq__(self, other): log.append(("eq", other)); return other == "point"

class Names:
    zero = 0
    word = "go"

def sequences(s):
    match s:
        case []: return "empty"
        case [a]: return a
        case [1, b]: return "one", b
        case [a, _] if step(a): return "guarded", a
        case [_, [c, *d]]: return c, d
        case [a, *_, b]: return a, b
        case [*all]: return all
    return "none"

def mappings(s):
    match step(s):
        case {"a": 1}:
            r = "a is 1"
        case {"a": [x, y], "b": z} if x:
            r = x, y, z
        case {"a": x, **rest}:
            r = x, rest
        case {Names.word: x}:
            r = "go", x
        case {}:
            r = "mapping"
        case _:
            r = "other"
    return r

def classes(s):
    match s:
        case Point(0, y=0): return "origin"
        case Point(x, y) if x == y: return "same", x
        case Point(x=[a, b]): return a, b
        case Point(): return "point"
        case int() | str(): return "plain"
        case collections.OrderedDict(): return "ordered"
        case float(f) as g: return f, g

def alternatives(s):
    match s:
        case [1 | 2 as a, (3 | 4)]: return a
        case [x, 5] | [5, x]: return "five", x
        case {"k": x} | [x]: return x
        case ("a" | b"b") as t: return "text", t
        case None | True: return "one of them"
        case Names.zero: return "zero"
        case -1.5: return "negative"

def constants(s):
    match s:
        case 0 | 1 | 2: return sorted(locals()), "small"
        case "a": return "a"
        case -1.5 | "go": return "more"
        case {**rest}: return rest

def last(s):
    match s:
        case 0 | 1: return locals()

def looped(s):
    out = []
    for part in (s, [s, s], {"s": s}):
        match part:
            case [a, b]:
                out.append(a)
                continue
            case {"s": str(v)}:
                break
            case None:
                pass
            case _:
                out.append(step("other"))
        out.append("after")
    else:
        out.append("else")
    return out

def rebound(s):
    match s:
        case [s, t] if step(s) == t: return "equal"
        case [s, *_]: return s
        case s: return "all", s

def nested(s):
    total = 0
    def count():
        nonlocal total
        try:
            match s:
                case [total, *more]:
                    match more:
                        case [total]: pass
                        case [x, y]: total = x + y
                case {"total": total}: pass
                case str(x) if (lambda: x)(): total = x
        finally:
            log.append("end")
        return total
    return count(), total

subjects = [None, True, 0, 1, -1.5, "", "a", b"b", "go", [], [1], [5], [1, 2], (2, 3), [0, 7], [7, 7], [7, 5], [5, 7], [0, [1]], [0, [1, 2]],
            [1, 2, 3], (4, 5, 6, 7), {}, {"a": 1}, {"a": [1, 2], "b": 3}, {"a": [0, 2], "b": 3}, {"a": 2, "c": 3}, {"go": 4}, {"k": 1},
            {"total": 9}, Point(0, 0), Point(2, 2), Point([1, 2], 3), Point(1, "z"), collections.OrderedDict(), 2.5, range(3), set()]

def outcome(f, s):
    del log[:]
    try:
        return repr(f(s)), repr(log)
    except Exception as e:
        return repr(e), repr(log)

for f in sequences, mappings, classes, alternatives, constants, last, looped, rebound, nested:
    print("==", f.__name__)
    print(cdbg.decompile(f), end="")
    try:
        g = types.FunctionType(cdbg.recompile(f.__code__), globals())
    except ValueError as e:
        print("--", e)
        continue
    for s in subjects:
        if outcome(f, s) != outcome(g, s):
            print("-- %r: %r is not %r" % (s, outcome(g, s), outcome(f, s)))
'''
status, out, err = bare(script(SAMPLE))
ok(status == 0, "functions with match statements are decompiled", err)
texts = {t.split("\n", 1)[0]: t.split("\n", 1)[1] for t in ("\n" + out).split("\n== ")[1:] if "\n" in t}
for name in "sequences", "mappings", "classes", "alternatives", "constants", "last", "looped", "rebound", "nested":
    is_([l for l in texts.get(name, "-- none").splitlines() if l.startswith("--")], [], name + ": compiled again it does the same")
for name, lines in (
        ("sequences", ("case [a]:", "case [1, b]:", "case [a, _] if step(a):", "case [_, [c, *d]]:", "case [a, *_, b]:", "case [*all]:")),
        ("mappings", ("match step(s):", "case {'a': 1}:", "case {'a': [x, y], 'b': z} if x:", "case {'a': x, **rest}:", "case {Names.word: x}:")),
        ("constants", ("case 0 | 1 | 2:", "case 'a':", "case -1.5 | 'go':", "case {**rest}:")), ("last", ("case 0 | 1:",)),
        ("classes", ("case Point(0, y=0):", "case Point(x, y) if x == y:", "case Point(x=[a, b]):", "case int() | str():", "case float(f) as g:")),
        ("alternatives", ("case [1 | 2 as a, 3 | 4]:", "case [x, 5] | [5, x]:", "case {'k': x} | [x]:", "case 'a' | b'b' as t:"))):
    for line in lines:
        if version() == (3, 12) and " | " in line and line not in texts[name]:
            skip(line, "CPython 3.12 writes the end of a short function after each alternative")
            continue
        ok(line in texts[name], line, texts[name])
for name in "sequences", "mappings", "classes", "constants":
    is_(texts[name].count("match "), 1, name + ": all cases are in one statement")
done()
