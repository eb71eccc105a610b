#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Functions of 100,000 instructions are decompiled in less than 2 s of CPU time, whatever statements they consist of.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from cdbgtest import PATIENCE

SAMPLE = r'''
import time
import cdbg

def many(lines, n=1000, depth=4):
    return "".join("".join(" " * depth + line + "\n" for line in lines.replace("%d", str(i)).split("\n")) for i in range(n))

ifs = "if a == %d:\n    b = b + 1"
shapes = {
    "for statements": many("for i in a:\n    b.append(i)", 9000),
    "while statements": many("while a < %d:\n    a = a + 1", 8200),
    "conditions with 'and' and 'or'": many("if a == %d and b or a.x:\n    b = b + 1\nelse:\n    a = 2", 6000),
    "except clauses": many("try:\n    a = f(a)\nexcept ValueError as e:\n    b = e", 3800),
    "finally clauses": many("try:\n    b(a)\nfinally:\n    b()", 4500),
    "with statements": many("with a as b:\n    b(a)", 3800),
    "loops with 'else'": many("for i in a:\n    if i: break\n    elif i + 1: continue\n    b(i)\nelse:\n    b(1)", 4000),
    "if statements in a loop": "    for i in b:\n" + many(ifs, 11000, 8),
    "if statements in a try statement": "    try:\n" + many(ifs, 11000, 8) + "    finally:\n        f()\n",
    "breaks of one loop": "    for i in b:\n" + many("if i == %d: break\nb(a)", 7000, 8),
    "conditional expressions": many("a = b if a else b.x or a", 11000),
    "assignments of several targets": many("a.x, a.y, b, a = b, a.z, a, b", 9000),
}
for shape, body in shapes.items():
    made = {}
    exec("def f(a, b):\n" + body + "    return a\n", made)
    n = sum(op != 0 for op in made["f"].__code__.co_code[::2])      # no caches
    begun = time.process_time()
    text = cdbg.decompile(made["f"])
    print(n, "%.3f" % (time.process_time() - begun), "bytecode, since" not in text, shape, sep="|")
'''

status, out, err = bare(script(SAMPLE))
is_((status, err), (0, ""), "functions of many statements of one kind are decompiled")
for line in out.splitlines():
    n, seconds, whole, shape = line.split("|")
    ok(int(n) > 85000 and whole == "True" and float(seconds) < 2 * PATIENCE,
       "a function of %s is Python after less than 2 s" % shape, line)
is_(len(out.splitlines()), 12, "each kind was tried")
done()
