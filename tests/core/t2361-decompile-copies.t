#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A finally clause that is written once stands for each of its copies: marks, steps and breakpoints in the decompiled text."""
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

PROG = """
    def left(n):
        try:
            if n > 2:
                return n * 2
            if n > 1:
                n = 10 // (n - 2)
            n += 1
        finally:
            if n:
                print("bye", n)
        return n
    def loop(xs):
        out = []
        for x in xs:
            try:
                if x == 2:
                    break
                if x == 3:
                    return out
                out.append(10 // x)
            finally:
                for k in range(2):
                    out.append(k)
        return out
    def call(f, *args):
        try:
            f(*args)
        except ZeroDivisionError:
            pass
    call(left, 1)
    call(left, 3)
    call(left, 2)
    call(loop, [1, 2])
    call(loop, [3])
    call(loop, [0])
"""
# How each call leaves the try statement first; loop() leaves it by a break, too.
WAYS = ["end", "return", "exception"]


def marked(d):
    """The line of the decompiled text that is marked as the next one."""
    return next((line[3:].strip() for line in d.text("decompile").splitlines() if line.startswith("=>")), "")


def number_of(d, text):
    return next(r["line"] for r in d.rows("decompile") if text in r["text"])


for name, clause, inner in (("left", "if n:", "print('bye', n)"), ("loop", "for k in range(2):", "out.append(k)")):
    with Cdbg(PROG) as d:
        d.do("break " + name)
        d.go()
        text = [r["text"].strip() for r in d.rows("decompile")]
        is_((text.count(clause), text.count(inner)), (1, 1), name + ": the clause is written once")
        d.do("delete")
        d.do("break %s@python:%d" % (name, number_of(d, inner)))
        seen = []
        while len(seen) < 20:
            d.go()
            if d.exited:
                break
            seen.append((marked(d), d.frame["line"]))
        line = d.line_of("print(\"bye\"" if name == "left" else "out.append(k)")
        times = 3 if name == "left" else 8
        is_(seen, [(inner, line)] * times, name + ": a breakpoint on its line stops in each copy, where the line is marked")

    with Cdbg(PROG) as d:
        d.do("break " + name)
        d.do("set step-mode python")
        walks = []
        d.go()
        while not d.exited:
            walk = []
            while not d.exited and d.frame.get("function") == name and len(walk) < 60:
                walk.append(marked(d))
                d.go("step")
            walks.append(walk)
            if not d.exited:
                d.go()
        is_(len(walks), 3, name + ": each call is stepped through")
        for walk, way in zip(walks, WAYS):
            at = [i for i, t in enumerate(walk) if t == clause]
            ok(at and inner in walk[at[0]:] and not any(t.startswith("return") for t in walk[at[0]:walk.index(inner, at[0])]),
               "%s: steps by lines of the text go through the clause on the way out by %s" % (name, way), walk)

done()
