#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The detail line of the code pane: what an instruction takes and what it pushes, with the values, and what it has pushed.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

PROGRAM = script("""
    import math


    class Loud:
        asked = 0

        def __eq__(self, other):
            Loud.asked += 1
            return False

        def __hash__(self):
            return hash("k")


    def f(items, table, n):
        a = items[1]
        b = table["k"]
        c = math.pi
        d, e = items
        g = n is None
        h = n < 3
        i = [n, a]
        j = len(i)
        return j + n


    print(f([4, "five"], {Loud(): 0, "k": "found"}, 2), "asked", Loud.asked)
""", "effects.py")
UP = "k"


def details(s, lines):
    """What the detail line says of each instruction of these lines, by its name, at it and once it has run."""
    now, done = [], []
    for _ in range(80):
        line = [r for r in s.text.split("\n") if re.match(r"^[A-Z_]+[^│]*: pop", r)]
        text = line[0].strip() if line else ""
        below = s.text.split("\n")[s.text.split("\n").index(line[0]) + 1].strip() if line else ""
        if below and not below.startswith("stopped"):
            text += " " + below
        m = re.search(r"effects\.py:(\d+)", s.row("stopped:"))
        if not m or int(m.group(1)) > lines:
            break
        now.append(text)
        s.keys("i").keys(UP)
        line = [r for r in s.text.split("\n") if re.match(r"^[A-Z_]+[^│]*: pop", r)]
        if line:
            done.append(line[0].strip())
        s.keys("j")
    return now, done


for rows, cols in ((24, 80), (40, 120), (60, 200)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"],
                env={"PYTHONHASHSEED": "0"}) as s:  # how often keys are compared depends on it
        s.line("break f").line("continue").line("focus asm")
        now, ran = details(s, 26)
        text, after = "\n".join(now), "\n".join(ran)
        like(text, r"LOAD_FAST\w* items: pops nothing; pushes \[4, 'five'\]", size + "a variable is pushed with its value")
        like(text, r"(BINARY_SUBSCR|BINARY_OP \[\]): pops items \(\[4, 'five'\]\), 1; pushes 'five'", size + "an item of a list is known before it is taken")
        like(text, r"(BINARY_SUBSCR|BINARY_OP \[\]): pops table \(dict\), 'k'; pushes 'found'|table \(\{.*\), 'k'; pushes 'found'", size + "so is that of a dict, whose other keys are not asked")
        like(text, r"LOAD_GLOBAL.*math: pops nothing; pushes .*module", size + "a global")
        like(text, r"LOAD_ATTR.*pi: pops .*; pushes 3\.14159", size + "a member of a module")
        like(text, r"UNPACK_SEQUENCE 2: pops items \(\[4, 'five'\]\); pushes 'five', 4", size + "the parts of a list, the last one lowest")
        like(text, r"IS_OP.*: pops 2, None; pushes False|TO_BOOL|POP_JUMP|IS_OP", size + "identity")
        like(text, r"COMPARE_OP.*<.*: pops 2, 3; pushes True", size + "a comparison of numbers")
        like(text, r"BUILD_LIST 2: pops 2, 'five'; pushes \[2, 'five'\]|BUILD_LIST 2: pops 2, 4; pushes \[2, 4\]", size + "a list that is built")
        like(text, r"CALL 1: pops .*; pushes 1 value", size + "of a call only the number is known")
        like(after, r"CALL 1: popped \d values; pushed 2", size + "and once it has run what it pushed")
        like(after, r"STORE_FAST\w* a: popped 1 value; pushed nothing", size + "a store pushes nothing")
        s.keys("\x1b").line("delete 1").line("continue").see("the program ended").settled().line("focus output").see("4 asked 2")
        like(s.text, "4 asked 2", size + "none of the program's code was run for it: its keys were compared as often as without")
done()
