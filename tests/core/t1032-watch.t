#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Watchpoints: the value of an expression, in the activation it was set in."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

PROGRAM = '''
    G = 0

    class Odd:
        def __eq__(self, other):
            raise RuntimeError("compared")

    def bump():
        global G
        G += 1

    def f(n):
        total = 0
        for k in range(n):
            total += k
            bump()
        return total

    def deep(n):
        here = n
        if n:
            deep(n - 1)
        here += 100
        return here

    def items():
        seen = []
        seen.append(1)
        seen.append(2)
        return seen

    def odd():
        o = Odd()
        o = Odd()
        return o

    def fails():
        value = 1
        raise ValueError(value)

    print(f(3))
    deep(2)
    items()
    odd()
    try:
        fails()
    except ValueError:
        pass
'''


def old_new(d):
    return d.stop["detail"]["old"], d.stop["detail"]["new"]


with Cdbg(PROGRAM) as d:
    d.do("break f")
    d.go()
    d.do("delete")
    like(d.do("watch total")["text"], "^watchpoint 2: total\na name in it has no value yet", "a local that is not bound yet can be watched")
    d.go()
    is_(d.reason, "watch", "its change stops the program")
    is_(d.stop["number"], 2, "with its number")
    is_(old_new(d), ("<unbound>", "0"), "old and new value are reported")
    d.go()
    is_(old_new(d), ("0", "1"), "an assignment of an equal value is not a change")
    d.go()
    is_(old_new(d), ("1", "3"), "each change stops")
    is_(d.rows("info breakpoints")[0]["hits"], 3, "hits are counted")
    d.go()
    ok(any("watchpoint 2 on 'total' deleted" in n["text"] for n in d.notes), "it goes with its frame, with a note")
    is_(d.rows("info breakpoints"), [], "and is in the table no more")
    is_(d.out, "3\n", "the program's result is its own")

with Cdbg(PROGRAM) as d:
    d.do("break f")
    d.go()
    d.do("delete")
    d.do("watch G if G == 2")
    d.go()
    is_((d.reason, d.do("print G")["text"].strip()), ("watch", "2"), "a global, with a condition")
    is_(d.frame["function"], "f", "is seen when the watched frame runs on")
    d.do("disable")
    is_("status" in d.go(), True, "a disabled watchpoint does not stop")

with Cdbg(PROGRAM) as d:
    d.do("break deep if n == 1")
    d.go()
    d.do("delete")
    d.do("watch here")
    d.go()
    is_(d.do("print n, here")["text"].strip(), "(1, 1)", "in a recursion only the activation it was set in counts")
    d.go()
    is_(d.do("print n, here")["text"].strip(), "(1, 101)", "also when inner ones have changed theirs")
    d.run_out()

with Cdbg(PROGRAM) as d:
    d.do("break items")
    d.go()
    d.do("watch seen")
    changes = []
    d.go()
    while d.reason == "watch":
        changes.append(old_new(d)[1])
        d.go()
    is_(changes, ["[]", "[1]", "[1, 2]"], "a list that is changed in place is seen")
    d.run_out()

with Cdbg(PROGRAM) as d:
    d.do("break odd")
    d.go()
    d.do("watch o")
    d.go(), d.go()
    is_(d.reason, "watch", "objects are compared by identity, never by their own __eq__")
    d.run_out()
    is_(d.err, "", "so that none of their code is run")

with Cdbg(PROGRAM) as d:
    d.do("break fails")
    d.go()
    d.do("watch value")
    d.go()
    d.go()
    ok(any(re.match("watchpoint 2 on .* deleted: its frame", n["text"]) for n in d.notes), "it goes when an exception ends the frame")
    d.run_out()

with Cdbg(PROGRAM) as d:
    d.do("break f")
    d.go()
    like(d.error("watch 1 +"), "SyntaxError", "a syntax error is refused")
    like(d.error("watch 1 / 0"), "ZeroDivisionError", "so is what cannot be evaluated")
    like(d.error("watch"), "missing expression", "and nothing at all")
    d.do("watch n")
    d.do("watch total")
    d.do("delete 2")
    d.go()
    is_((d.reason, d.stop.get("number")), ("watch", 3), "deleting one leaves another of the same frame")
    d.do("delete")
    is_("status" in d.go(), True, "deleted ones are gone")
done()
