#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# What generated code never contains has no text: cdbg.decompile() shows its bytecode as comments, in the place of the smallest part
# that has it, and cdbg.recompile() refuses with the reason. A class or a generic function stays a call, which is compiled again.
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

PROGRAM = r'''
import json, sys
import cdbg

SOURCES = json.loads(sys.argv[1])
rows = {}
for name, source in SOURCES.items():
    names = {}
    exec(compile(source, "sample.py", "exec"), names)
    f = names["f"]
    code = f.__code__ if f else compile(source, "sample.py", "exec")
    try:
        new, why = cdbg.recompile(code), None
    except ValueError as e:
        new, why = None, str(e)
    did = []
    for c in (code, new):
        if c and f:
            f.__code__ = c
            did.append(repr(f(3)))
    rows[name] = {"text": cdbg.decompile(code), "why": why, "did": did}
print(json.dumps(rows))
'''
REFUSED = {      # name: source, what the text still says in Python, versions
    "the code of a module": ("f = None\nimport sys\nx = 3\n", None, (3, 11)),
    "a match statement": ("def f(a):\n    a = a + 1\n    match a:\n        case [x, *y]:\n            return x\n    return a\n", "a = a + 1\n", (3, 11)),
    "except*": ("def f(a):\n    a = a + 1\n    try:\n        int('x')\n    except* ValueError:\n        a = 7\n    return a\n", "a = a + 1\n", (3, 11)),
    "a type alias": ("def f(a):\n    a = a + 1\n    type X = int\n    return a\n", "a = a + 1\n", (3, 12)),
    "a template string": ("def f(a):\n    a = a + 1\n    return t'{a}'\n", "a = a + 1\n", (3, 14)),
}
KEPT = {         # name: source, versions
    "a class with annotations": ("def f(a):\n    class C:\n        x: int = a\n        def m(self): return self.x\n"
                                 "    return C().m(), list(C.__annotations__)\n", (3, 11)),
    "a function with type parameters": ("def f(a):\n    def g[T](x: T) -> T:\n        return x\n    return g(a), g.__name__\n", (3, 12)),
    "a class with type parameters": ("def f(a):\n    class C[T]:\n        x = a\n    return C.x, C.__name__\n", (3, 12)),
    "annotations of arguments": ("def f(a):\n    def g(x: int, *y: a) -> 'text':\n        return x\n    return g(a), g.__annotations__\n", (3, 11)),
}
sources = {n: s[0] for n, s in {**REFUSED, **KEPT}.items() if version() >= s[-1]}
rc, out, said = bare(script(PROGRAM), json.dumps(sources))
ok(rc == 0, "the program runs", said[-2000:])
rows = json.loads(out) if rc == 0 else {}
for name, (_, rest, since) in REFUSED.items():
    if version() < since:
        skip(name, "it is of a later CPython")
        continue
    row = rows[name]
    like(row["text"], r"(?m)^ *#.*\b(RESUME|LOAD_\w+|RETURN_\w+|CALL_\w+)\b", "%s: the bytecode is in the text as a comment" % name)
    like(row["why"], "^cannot recompile '", "%s: it is refused" % name)
    if rest:
        ok(rest in row["text"], "%s: what is before it is Python" % name, row["text"])
        like(row["why"], r", at line \d+$", "%s: with its line" % name)
for name, (_, since) in KEPT.items():
    if version() < since:
        skip(name, "it is of a later CPython")
        continue
    row = rows[name]
    is_(row["why"], None, "%s: it is compiled again" % name)
    is_(len(set(row["did"])), 1, "%s: and does the same" % name)
done()
