#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Chained comparisons come out of the decompiler as they were written, and evaluate the same operands in the same order.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

SAMPLE = r'''
import types
import cdbg

log = []
def v(x):
    log.append(x)
    return x

def value(a, b):
    r = v(a) < v(b) < v(5)
    return r, a < b <= 3 != b

def returned(a, b):
    return v(0) <= v(a) < v(b) < v(4)

def tested(a, b):
    if a < v(b) < 4:
        return "in"
    if not 0 < v(a) <= b:
        return "out"
    return "else"

def joined(a, b):
    if a < v(b) < 4 and b or 1 < a < v(3):
        return "one"
    return (0 < a < b or v(b)), (0 < v(a) < b and "yes"), not 1 < v(b) < 3

def looped(a, b):
    out = []
    while 0 <= v(a) < 3:
        a += 1
        if 1 < a < b:
            continue
        out.append(a)
    return out, [x for x in range(6) if a < v(x) < 5], [1 < x < 3 for x in range(3)]

def kinds(a, b):
    assert 0 <= a < 9, a
    return (a in (0, 1) != b), a is b is None, (a if 0 < a < 2 else b), max(1 < a < 3, b), (lambda n: a < n < b)(v(1))

def operands(a, b):
    return a.real < max(v(b), 1) + 1 < v(a) * 2, "a" < str(v(a)) < "z"

def conditional(a, b):
    return a < (b if v(b) else 2) < 4, 0 < a < (b or v(3))

for f in value, returned, tested, joined, looped, kinds, operands, conditional:
    print("==", f.__name__)
    print(cdbg.decompile(f), end="")
    try:
        new = types.FunctionType(cdbg.recompile(f.__code__), globals(), f.__name__)
    except ValueError as e:
        print("--", e)
        continue
    for a in range(5):
        for b in range(5):
            seen = []
            for g in f, new:
                del log[:]
                try:
                    seen.append((g(a, b), log[:]))
                except Exception as e:
                    seen.append((repr(e), log[:]))
            if seen[0] != seen[1]:
                print("-- %d, %d: %r is not %r" % (a, b, seen[1], seen[0]))
'''
status, out, err = bare(script(SAMPLE))
ok(status == 0, "functions with chained comparisons are decompiled", err)
texts = {t.split("\n", 1)[0]: t.split("\n", 1)[1] for t in out.split("== ")[1:] if "\n" in t}
for name in "value", "returned", "tested", "joined", "looped", "kinds", "operands", "conditional":
    is_([l for l in texts[name].splitlines() if l.startswith("--")], [], name + ": compiled again it does the same")
for name, line in (("value", "r = v(a) < v(b) < v(5)"), ("returned", "return v(0) <= v(a) < v(b) < v(4)"), ("tested", "if a < v(b) < 4:"),
                   ("kinds", "a in (0, 1) != b"), ("operands", "a.real < max(v(b), 1) + 1 < v(a) * 2"),
                   ("looped", "while 0 <= v(a) < 3:")):
    ok(line in texts[name], line, texts[name])
done()
