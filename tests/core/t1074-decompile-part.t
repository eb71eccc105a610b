#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Code that has an instruction which is not covered: that stretch is bytecode within the source, the rest is source, and nothing
# is compiled again.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

# `mark = 1` becomes an instruction that no function has.
SAMPLE = r'''
import cdbg, dis, opcode, sys

def straight(a):
    global mark
    b = a + 1
    mark = 1
    return b * 2

def loop(a):
    global mark
    for i in a:
        print(i)
        mark = 1
        if i:
            break
    else:
        print("none")
    return a

def branch(a, b):
    global mark
    if a:
        c = b + 1
    else:
        mark = 1
        c = b
    while c:
        c -= 1
    return c

def tried(a):
    global mark
    try:
        a.open()
        mark = 1
    except OSError as e:
        print(e)
    finally:
        a.close()
    with a as f:
        mark = 1
        f.read()
    return f

def twice(a):
    global mark
    mark = 1
    b = [x + 1 for x in a]
    mark = 1
    return b

def around(a):
    global mark
    def within(n):
        global mark
        mark = 1
        return n + a
    return within(a) + 1

def expression(a):
    global mark
    print(a, (mark := 1), a + 2)
    return a

def patched(code):
    raw = bytearray(code.co_code)
    for i in dis.get_instructions(code):
        if i.opname == "STORE_GLOBAL" and i.argval == "mark":
            before = opcode.opname[raw[i.offset - 2]]
            assert before in ("LOAD_CONST", "LOAD_SMALL_INT", "COPY"), before
            names = ("NOP", "SETUP_ANNOTATIONS") if before == "COPY" else ("SETUP_ANNOTATIONS", "NOP")
            raw[i.offset - 2:i.offset + 2] = bytes([opcode.opmap[names[0]], 0, opcode.opmap[names[1]], 0])
    return code.replace(co_code=bytes(raw), co_consts=tuple(patched(c) if hasattr(c, "co_code") else c for c in code.co_consts))

for f in straight, loop, branch, tried, twice, around, expression:
    code = patched(f.__code__)
    print("==", f.__name__)
    print(cdbg.decompile(code), end="")
    try:
        cdbg.recompile(code)
        print("-- recompiled")
    except ValueError as e:
        print("--", e)
'''

status, out, err = bare(script(SAMPLE))
ok(status == 0, "code that is not covered is decompiled", err)
texts = {t.split("\n", 1)[0]: t.split("\n", 1)[1] for t in out.split("== ")[1:]}


def lines(name):
    """The text's lines without white space, bytecode left out."""
    return [l.strip() for l in texts[name].splitlines() if not l.startswith("--") and not l.strip().startswith("#")]


def opcodes(name):
    return [l.split()[2] for l in texts[name].splitlines() if re.match(r" *# +\d+ ", l)]


is_(lines("straight"), ["def straight(a):", "b = a + 1", "return b * 2"], "what surrounds it is source")
like(texts["straight"], r"(?m)^    # bytecode, since this is not covered: SETUP_ANNOTATIONS, at \d+\n    # +\d+ SETUP_ANNOTATIONS\n    return",
     "the stretch says why, and is the instruction alone")
like(texts["straight"], r"(?m)^-- cannot recompile 'straight': SETUP_ANNOTATIONS, at line 6$", "it is not compiled again, and its line is named")
leaves = "break" in lines("loop") or lines("loop").count("return a") == 2         # 3.12 copies what follows the loop
ok("for i in a:" in lines("loop") and leaves and "print('none')" in lines("loop"), "a loop around it stays a loop", texts["loop"])
is_(opcodes("loop"), ["SETUP_ANNOTATIONS"], "with one instruction of bytecode in it")
ok("else:" in lines("branch") and "c = b" in lines("branch") and "c -= 1" in lines("branch"), "so does a branch, and what follows it", texts["branch"])
ok({"try:", "except OSError as e:", "finally:", "with a as f:", "f.read()"} <= set(lines("tried")), "so do try and with statements", texts["tried"])
is_(opcodes("tried"), ["SETUP_ANNOTATIONS"] * 2, "each with its own stretch")
is_(lines("twice"), ["def twice(a):", "b = [x + 1 for x in a]", "return b"], "two stretches leave what is between them")
ok("def within(n):" in lines("around") and "return n + a" in lines("around"), "a function in it is source, but for its stretch", texts["around"])
like(texts["around"], r"-- recompiled", "and the function around it is compiled again, with the code itself")
is_(lines("expression"), ["def expression(a):", "_t1 = print", "_t1(a, 1, a + 2)", "return a"],
    "values that wait while the stretch runs are variables")
done()
