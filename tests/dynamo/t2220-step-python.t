#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Generated code stepped by the lines of its decompiled source, and breakpoints on these lines.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
PROGRAM = script('''
    import torch


    def plain(n):
        total = 0
        for i in range(n):
            total += i
        return total


    @torch.compile(backend="eager")
    def toy(a, b):
        x = a / (torch.abs(a) + 1)
        if b.sum() < 0:
            b = b * -1
        return x * b


    for _ in range(4):
        toy(torch.ones(3), torch.ones(3))
    plain(2)
    print("end")
''', "toy.py")

with Cdbg(PROGRAM) as d:
    d.do("break toy@break")
    d.go()
    rows = d.rows("decompile")
    text = [r["text"].strip() for r in rows]
    line = {t: i + 1 for i, t in enumerate(text)}
    ok(text[0] == "def toy(a, b):" and "graph_out_0 = __compiled_fn_1(a, b)" in text, "the generated code as Python", text)
    call = line["graph_out_0 = __compiled_fn_1(a, b)"]
    is_([r["place"] for r in rows][call - 1], "@python:%d" % call, "each line has a place for break")
    d.do("delete")
    d.do("set step-mode python")
    d.do("break toy@python:%d" % call)
    stop = d.go()
    is_(stop["reason"], "breakpoint", "a breakpoint on a line of it stops")


    def here():
        return [l[3:].strip() for l in d.text("decompile").splitlines() if l.startswith("=>")]


    is_(here(), ["graph_out_0 = __compiled_fn_1(a, b)"], "at that line")
    is_([r["line"] for r in d.rows("decompile") if r["breakpoint"]], [call], "which is marked")
    seen = []
    for _ in range(12):
        stop = d.go("next")
        if stop["frame"]["kind"] != "generated":
            break
        seen += here()
        if stop["reason"] == "return":
            break
    wanted = [t for t in text[call:] if not t.startswith(("#", "return __resume_at")) or t == text[-1]]
    is_(seen[:len(wanted)], wanted, "next goes from line to line, without folded lines and the branch that is not taken")
    ok(seen[-1].startswith("return __resume_at") and stop["reason"] == "return", "until the function returns", seen)
    d.do("delete")
    last = len(text)
    reply = d.do("break 0/0@python:%d" % (last - 1))
    d.do("break 0/0@python:1")
    bps = d.rows("info breakpoints")
    like(d.do("break 0/0@python:1")["text"], r"line 1 has no code: using line \d+ instead", "a line without code means the next one")
    like(d.error("break 0/0@python:99"), r"no code at or after line 99 of the decompiled source of 'toy': it has %d lines" % last, "a line after the end is refused")
    like(d.error("break 0/0@python:0"), r"invalid line '0' of decompiled source", "so is line 0")
    like(d.error("break 0/0@python:x"), r"invalid line 'x' of decompiled source", "and a word")
    d.do("delete")
    d.do("break 0/0")
    d.go()
    d.go("advance 0/0@python:%d" % line["if graph_out_0[0]:"]) if "if graph_out_0[0]:" in line else None
    ok("if graph_out_0[0]:" not in line or here() == ["if graph_out_0[0]:"], "advance runs to a line", here())
    explained = d.do("explain toy")["text"]
    like(explained, r"generated code as Python:\n +def toy\(a, b\):", "explain has the source")
    d.do("delete")
    d.do("break plain@python:4")
    stop = d.go()
    is_(stop["frame"]["line"], 7, "code that is not generated has such lines, too")
    stop = d.go("next")
    is_(stop["frame"]["line"], 6, "and is stepped by its own")

status, out, err = run(PROGRAM, commands=["set step-mode python", "break toy@break", "continue", "next", "continue"])
like(out, r"(?m)^ +\d+ =>   +if graph_out_0\[0\]:", "a stop shows the line of the decompiled source")

CLAUSES = script('''
    import torch
    def within(x):
        with torch.no_grad():
            y = x + 1
            print("within")
        return y * 2
    c = torch.compile(within, backend="eager")
    c(torch.ones(2))
    c(torch.ones(2))
''', "within.py")
status, out, err = run(CLAUSES, commands=["set step-mode python", "tbreak 9", "continue", "break within", "continue"] + ["next"] * 9)
like(out, r"(?m)^ +\d+ =>   +with torch\.set_grad_enabled\(False\):(.*\n)+ +\d+ =>   +___stack1 = print\('within'\)(.*\n)+ +\d+ =>   +return __resume_at_",
     "steps stop at a context that is entered, at the call within, and after it")

FINALLY = script("""
    def plain(x):
        try:
            x.append(1)
        finally:
            x.append(2)
        return x
    plain([])
""", "plain.py")
status, out, err = run(FINALLY, commands=["set step-mode python", "break plain", "continue"] + ["next"] * 4)
like(out, r"(?m)^ +2 B-> +try:", "a step stops at the line of try, which has an instruction as in Python's own code")
unlike(out, r"(?m)^ +\d+ .?-> +finally:", "none stops at the line of finally")
like(out, r"(?m)^ +5  -> +x\.append\(2\)", "but at the first statement of that clause")

done()
