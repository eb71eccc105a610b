#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A return after a with or try statement, which the compiler repeats at each of its ends, is written once, after it; one that is within
# the statement in the source stays there.
import json, os, subprocess, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from cdbgtest import PATIENCE, environment

SOURCES = ["""
def f(x):
    with c:
        y = x * 2
        z = y + 1
    return z
""", """
def f(x):
    with c:
        for i in x:
            if i:
                break
    return x
""", """
def f(x):
    with c, e as k:
        y = k
    return y
""", """
def f(x):
    with c:
        y = x
        return y
""", """
def f(x):
    with c:
        y = x
        return y
    return y
""", """
def f(x):
    try:
        y = x()
    except E:
        c()
    return y
""", """
def f(x):
    try:
        y = x()
    except E:
        y = c()
    except K as k:
        raise V from k
    else:
        y += 1
    return y
""", """
def f(x):
    try:
        y = x()
        return y
    except E:
        y = c()
        return y
"""]
RUN = r"""
import cdbg, json
texts = json.loads(r'''%s''')
class C:
    def __init__(self, swallow):
        self.swallow = swallow
    def __enter__(self):
        log.append("enter")
        return [1]
    def __exit__(self, *a):
        log.append(("exit", a[0].__name__ if a[0] else None))
        return self.swallow
E, K, V = KeyError, ValueError, OSError
def outcome(f, x):
    del log[:]
    try:
        return [repr(f(x)), list(log)]
    except Exception as e:
        return [type(e).__name__, str(e), list(log)]
def raises(e):
    def g():
        raise e
    return g
def called(n):
    log.append("called")
    return 7
log, out = [], []
for text in texts:
    names = {}
    exec(text, globals(), names)
    f = names["f"]
    new = type(f)(cdbg.recompile(f.__code__), globals())
    ways = []
    for swallow in (False, True):
        c, e = C(swallow), C(not swallow)
        if "c()" in text:
            c = lambda: called(0)
        for x in (3, None, [1, 0], lambda: 5, raises(KeyError(1)), raises(ValueError(2)), raises(OSError(3))):
            ways.append([outcome(f, x), outcome(new, x)])
    out.append([cdbg.decompile(f), ways])
print(json.dumps(out))
"""

run = subprocess.run([interpreter(), "-c", RUN % json.dumps(SOURCES)], text=True, capture_output=True, env=environment(), timeout=60 * PATIENCE)
ok(run.returncode == 0, "all are compiled again", run.stderr)
made = json.loads(run.stdout)
for source, (text, ways) in zip(SOURCES, made):
    what = " ".join(source.split())
    if "with c, e" in source:
        like(text, r"return y\n?\Z", what + ": it ends with the return")
        is_(text.count("return"), 1, what + ": the only one")
    elif source not in (SOURCES[4], SOURCES[6], SOURCES[7]):
        is_(text.strip(), source.strip(), what + ": the text is the source")
    elif source != SOURCES[6]:
        like(text, r"\n        .*return y" if source == SOURCES[7] else r"\n        return y", what + ": the return within stays")
    is_([a for a, b in ways], [b for a, b in ways], what + ": its recompiled code does the same")
done()
