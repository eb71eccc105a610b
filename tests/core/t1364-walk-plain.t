#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Each command that an answer names works where it is named: walked at stops of a program without torch, and after its end.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from named_commands import *
from walk import *

PROGRAM = script('''
    import sys

    class Thing:
        def __init__(self, n):
            self.n = n
        def grows(self):
            self.n += 1
            return self.n

    def f(n):
        x = Thing(n)
        x.grows()
        return x.n

    def fails():
        raise KeyError("gone")

    f(1)
    try:
        fails()
    except KeyError:
        pass
    f(2)
    raise ValueError("the end")
''')
STOPS = [
    ("at the start", []),
    ("at a line", ["break f", "continue"]),
    ("at an instruction", ["break f", "continue", "stepi", "stepi"]),
    ("in a caller's frame", ["break Thing.grows", "continue", "up"]),
    ("before a return", ["break f", "continue", "finish"]),
    ("at a watchpoint", ["break f", "continue", "watch n", "continue"]),
    ("at an exception", ["catch exception KeyError", "continue"]),
    ("at an uncaught exception", ["continue"]),
    ("after the end", ["continue", "continue"]),
]

# the walk itself
with Cdbg("x = 1\n") as d:
    table = Table(d)
    for line, answer, want in (
            ("graph code", "error: no graph was captured: 'explain' tells why\n", ["explain"]),
            ("explain", "error: Dynamo has not compiled '': call it first\n", []),
            ("watch", "error: missing expression: 'watch EXPR'\n", []),
            ("frobnicate", "error: unknown command 'frobnicate'; did you mean 'frame'?\n", ["frame"]),
            ("guard drop", "error: 'guard drop' needs GUARD; usage: guard drop GUARD\n", []),
            ("list x.py", "   3  print('help')\n", [])):
        is_(leads(table, line, answer), want, "the answer to '%s' leads to %s" % (line, want or "no command"))
    is_(refused("undo", "error: nothing to undo\n"), "nothing to undo", "a command that is named and refused is found")
    is_(refused("explain", "f, prog.py:3\n"), None, "one that answers is right")
    lines = LINES + probes(table, skip=WRITES)

for name, setup in STOPS:
    wrong, tried, first = walk(PROGRAM, table, setup, lines)
    is_(shown(wrong), [], "%s: what %d lines name works" % (name, len(lines)))
    ok(len(tried) > 8, "%s: they name commands" % name, sorted(tried))

done()
