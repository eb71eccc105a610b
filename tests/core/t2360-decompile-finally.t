#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# finally clauses of statements that are left in several ways are written once, and run as often as in the program.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

SAMPLE = r'''
import types
import cdbg

def reads(f):
    x = f("open")
    try:
        if not f("empty"):
            return f("read")
    finally:
        f("close")
        f("closed")

def restores(f):
    old = f("old")
    try:
        for a in f("args") or []:
            try:
                r = f(a)
            except OSError:
                continue
            if r:
                return r
        return None
    finally:
        f("restore", old)

def changes(f):
    x = 1
    try:
        f(x)
        if f("early"):
            return x
    finally:
        x = 2
    return x

def goes_on(f):
    n = 0
    while True:
        try:
            x = f("get")
            if x is None:
                break
            if x:
                continue
            f("body")
        except ValueError:
            f("bad")
        finally:
            n += 1
            f("done", n)
            if n > 5:
                raise EOFError
    return n

def breaks(f):
    for a in 1, 2, 3:
        try:
            if f(a):
                break
            if f("return"):
                return a
        finally:
            for b in 1, 2:
                if f("clean", b):
                    break
            else:
                f("all clean")
    else:
        f("no break")
    return f("end")

def nested(f):
    try:
        try:
            if f(1):
                return f("inner")
            f(2)
        finally:
            f("first")
        f(3)
    except ValueError as e:
        if f(4):
            return f("handled")
    else:
        f("else")
    finally:
        try:
            f("second")
        except KeyError:
            f("in the clause")
    return f("after")

def swaps(f):
    a, b = 1, 2
    while f("more"):
        try:
            if f("out"):
                return a, b
        finally:
            a, b = b, a
    return b, a

def managed(f):
    c = 1
    with Manager(f):
        try:
            if f("in"):
                return c
        finally:
            c += 1
        c = None
    return c

def yields(f):
    try:
        try:
            yield f("a")
            if f("b"):
                return f("c")
            yield f("d")
        finally:
            yield f("e")
            f("f")
    finally:
        f("g")
    return 7

def asks(f):
    while f("again"):
        try:
            return f("returned")
        finally:
            if f("break"):
                break
    return f("end")

class Manager:
    def __init__(self, f):
        self.f = f
    def __enter__(self):
        self.f("enter")
    def __exit__(self, *exc):
        return self.f("exit") == 2

class End(BaseException):
    pass

def outcome(code, answers):
    log, ended = [], []
    def f(*what):
        if ended:                       # a generator that is left alone
            return 0
        log.append(what)
        if len(log) > 40:
            raise End
        a = answers[len(log) % len(answers)]
        if isinstance(a, type):
            raise a(what)
        return [what] if what == ("args",) and a else a
    made = types.FunctionType(code, globals())
    try:
        out = made(f)
        if code.co_flags & 0x20:
            got = []
            for x in out:
                got.append(x)
                if len(got) > len(answers) % 3:
                    out.close() if len(answers) % 2 else out.throw(ValueError("thrown"))
            ended.append(True)
            out = got
    except BaseException as e:
        ended.append(True)
        out = repr(e), repr(e.__context__)
    return out, log

def lists():
    kinds = [0, 1, 2, None, ValueError, KeyError, OSError]
    state = 1
    for i in range(900):
        out = []
        for k in range(3 + i % 7):
            state = (state * 1103515245 + 12345) % 2 ** 31
            out.append(kinds[state // 65536 % len(kinds)])
        yield out

for f in reads, restores, changes, goes_on, breaks, nested, swaps, managed, yields, asks:
    new, different = cdbg.recompile(f.__code__), 0
    for answers in lists():
        different += outcome(f.__code__, answers) != outcome(new, answers)
    text = cdbg.decompile(f)
    print("|".join([f.__name__, str(different), str(text.count("finally:")), repr(text)]))
'''

path = script(SAMPLE)
status, out, err = bare(path)
# CPython 3.14 and later warn of the sample's own break, once, and of nothing that is compiled from decompiled text.
own = "%s:%d: SyntaxWarning: 'break' in a 'finally' block\n  break\n" % (path, line_of(path, 'if f("break"):') + 1)
is_((status, err), (0, own if version() >= (3, 14) else ""), "functions with finally clauses are compiled again")
texts = {}
for line in out.splitlines():
    name, different, clauses, text = line.split("|", 3)
    texts[name] = eval(text)
    is_(different, "0", "%s does the same, whatever is returned and raised" % name)
    if name in ("reads", "restores", "changes", "breaks", "nested") or name == "yields" and version() != (3, 12):   # there it has copies
        is_(int(clauses), 2 if name in ("nested", "yields") else 1, "%s has each clause once" % name)
        ok("_t" not in texts[name], "%s needs no variable but its own" % name, texts[name])

like(texts["reads"], r"\n        if not f\('empty'\):\n            return f\('read'\)\n    finally:\n        f\('close'\)\n        f\('closed'\)\n$",
     "a return from a try statement is one in its text")
is_(texts["changes"].splitlines()[-1], "    return x", "what is returned after the clause is read after it")
done()
