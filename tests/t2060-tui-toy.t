#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The full screen on a compiled function: regions folded, the break and the resume function, panes that follow.
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from screen import *

need_torch()
TOY = os.path.join(top, "doc", "examples", "toy.py")


def stop(s, line, word):
    marks = s.marks
    s.line(line)
    s.until(lambda: s.marks > marks and re.search(word, s.row(r"^ stopped: ")), "%s: %s" % (line, word))
    return s.ready()


with Screen(TOY, rows=40, cols=120, options=["-q"], limit=180) as s:
    s.line("break toy_example@break")
    s.line("catch resume")
    stop(s, "continue", "breakpoint 1")
    source, code = "\n".join(s.pane("source")), "\n".join(s.pane("asm"))
    like(source, r"▶ +8 +if b\.sum\(\) < 0: +break", "the source pane marks the line, and that the graph breaks there")
    like(source, r"9 +b = b \* -1 +resume call", "and where it goes on")
    like(code, r"^ asm +toy_example, entry 0/0, \d+ instructions", "the code pane says whose code it is")
    like(code, r"▸ +2 graph call .*\n.*▸ \d+ outputs", "regions that are not at hand are folded")
    like(code, r"▾ \d+ break .*\n●▶ +╭─ +\d+ POP_JUMP_FORWARD_IF_FALSE to \d+", "the one at hand is open, its jump drawn")
    like(code, r"╰▸ ▸ \d+ resume call", "to the heading of the region where it leads")
    like("\n".join(s.pane("stack")), r"»?▹ +2 +bool\[\] cpu +Tensor", "the operand of the jump is marked on the stack")
    like(s.row("^ stopped:"), r"toy_example toy\.py:8 . entry 0/0, break . main thread", "the status line says entry and region")
    s.line("focus asm")
    s.keys("g").keys("j").keys(" ")
    like("\n".join(s.pane("asm")), r"▾ +2 graph call .*\n.* 2 LOAD_GLOBAL", "Space on a heading opens its region")
    linked = [line for line in s.pane("source") if "·" in line[:3]]
    ok(linked and all("graph call" in line or "break" in line for line in linked), "the lines that it stands for are marked",
       "\n".join(s.pane("source")))
    s.keys(" ")
    like("\n".join(s.pane("asm")), r"▸ +2 graph call", "and shuts it again")
    s.keys(":")
    s.line("zoom graph")
    like(s.text, r"abs_1 .*torch\.abs", "the pane of the graph's nodes")
    s.line("zoom")
    stop(s, "continue", "goes on at line")
    like("\n".join(s.pane("asm")), r"^ asm +torch_dynamo_resume_in_toy_example_at_\d+, entry 1/0", "the resume function's code")
    like(s.row("^ stopped:"), r". toy_example toy\.py:", "which the status line calls by its user's name")
    s.line("delete").keys("y")
    s.line("continue").see("the program ended with status 0")
    like("\n".join(s.pane("output")), r"call 0 gives 4\.4336\ncall 1 gives", "the output is the program's")
done()
