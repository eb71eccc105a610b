#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The full screen on a compiled function: regions folded, the break and the resume function, panes that follow.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
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
    if version() >= (3, 13):
        stop(s, "stepi", "step")        # from TO_BOOL to the jump
    source, code = "\n".join(s.pane("source")), "\n".join(s.pane("asm"))
    like(source, r"▶ +8 +if b\.sum\(\) < 0: +2 ▪⑂", "the source pane marks the line, and that the graph breaks there")
    like(source, r"9 +b = b \* -1 +⏎", "and where it continues")
    like(code, r"^ \d asm +entry 0/0 toy_example ─+ \d+ of \d+ ", "the code pane says whose code it is, and how far the frame is in it")
    like(code, r"▸ graph call +__compiled_fn_1\(a, b\) .*2\.\.\d+ .*\n.*▸ outputs .* \d+(\.\.\d+)?", "regions that are not current are folded, with where they are")
    like(code, r"▾ break .*\n(.*TO_BOOL.*\n)?[ ●]▶ +╭─ +\d+ POP_JUMP_(FORWARD_)?IF_FALSE to \d+", "the current one is open, its jump drawn")
    like(code, r"╰▸ ▸ resume call", "to the heading of the region where it leads")
    like("\n".join(s.pane("stack")), r"»?▹ +%d +(bool\[\] cpu (True|False) +Tensor|False +bool)" % (2 if torch_version() > (2, 6) else 0),     # below it is the list of frames
         "the operand of the jump is marked on the stack")
    like(s.row("^ stopped:"), r"toy_example toy\.py:8 . entry 0/0, break . main thread", "the status line says entry and region")
    guards = "\n".join(s.pane("guards"))
    like(guards, r"^ \d guards +entry 0/0 ─+ \d+ ok ", "the pane of guards names their entry, and how many hold")
    like(guards, r"▸ state of the process +\d+ ok\n +▾ a +\d+ ok\n +✓ \d+ TENSOR_MATCH +f32\[10\] cpu .*7",
         "a heading for each value, its guards below, what holds marked; folded is what seldom fails")
    s.line("focus guards")
    s.keys("g ")
    like("\n".join(s.pane("guards")), r"▾ state of the process .*\n +✓ \d+ (LAMBDA_GUARD|DEFAULT_DEVI)", "Space opens a heading")
    s.keys("gj").keys("/TENSOR_MATCH\r")
    like(s.at, r"✓ \d+ TENSOR_MATCH", "a guard is selected")
    linked = [line for line in s.pane("graph") if "·" in line[:3]]
    ok(len(linked) == 1 and re.search(r"\ba\b", linked[0]), "the node of its value is marked", "\n".join(linked))
    linked = [line for line in s.pane("source") if "·" in line[:3]]
    ok(len(linked) == 1 and " 7 " in linked[0], "and the line that made it", "\n".join(linked))
    s.keys(" ")
    like(s.at, r"⊘ +\d+ TENSOR_MATCH .* dropped", "Space drops a guard")
    like(s.pane("guards")[0], r"\d+ ok, 1 dropped", "which the heading says")
    s.keys(" ")
    like(s.at, r"✓ +\d+ TENSOR_MATCH", "and restores it")
    unlike(s.pane("guards")[0], "dropped", "so that nothing is left of it")
    s.keys(":")
    is_(len([line for line in s.pane("source") if "·" in line[:3]]), 0, "without a pane in focus nothing is linked")
    s.line("focus asm")
    s.keys("g").keys("j").keys(" ")
    like("\n".join(s.pane("asm")), r"▾ graph call .*\n.* 2 (LOAD_GLOBAL|PUSH_NULL)", "Space on a heading opens its region")
    linked = [line for line in s.pane("source") if "·" in line[:3]]
    ok(linked and all("▪" in line or "⑂" in line for line in linked), "the lines that it stands for are marked",
       "\n".join(s.pane("source")))
    s.keys(" ")
    like("\n".join(s.pane("asm")), r"▸ graph call", "and shuts it again")
    for _ in range(6):
        if "resume call" not in s.at:
            s.keys("j")
    like(s.at, "▸ resume call", "rows on, the first resume call is selected")
    linked = [line for line in s.pane("source") if "·" in line[:3]]
    ok(len(linked) == 1 and " 9 " in linked[0], "of two regions of one name each is linked with its own line", "\n".join(linked))
    s.keys(":")
    s.line("focus graph")
    s.keys("gjj")
    like(s.at, "abs_1", "a node of the graph is selected")
    linked = [line for line in s.pane("source") if "·" in line[:3]]
    ok(len(linked) == 1 and " 7 " in linked[0], "and the line that made it is marked", "\n".join(linked))
    linked = [line for line in s.pane("asm") if "·" in line[:3]]
    ok(len(linked) == 1 and "graph call" in linked[0], "and the region that calls the graph", "\n".join(linked))
    like("\n".join(s.pane("graph")), r"l_a_ +a .*\n.*\n.*abs_1 +torch\.abs\(a\) .*\n.* add +abs_1 \+ 1 ",
         "nodes are shown as they would be written")
    s.keys("\r")
    like(s.at, r"^ ▹  7 ", "Enter on a node shows the line that made it")
    s.keys(":")
    s.line("focus source")
    linked = [line for line in s.pane("graph") if "·" in line[:3]]
    ok(linked and all(re.search(r"\b7$", line) for line in linked), "a line is linked with the nodes it made", "\n".join(linked))
    s.keys(":")
    s.line("zoom graph")
    like(s.text, r"abs_1 .*torch\.abs", "the pane of the graph's nodes")
    s.line("zoom")
    stop(s, "continue", "resumes at line")
    like("\n".join(s.pane("asm")), r"^ \d asm +entry 1/0 toy_example resumes ", "the resume function's code")
    like(s.row("^ stopped:"), r". toy_example toy\.py:", "which the status line calls by its user's name")
    s.line("focus entries")
    s.keys("g ")
    like(s.text, r"0/0 +toy_example .* disabled", "Space on an entry disables it")
    s.keys(" ")
    like(s.text, r"0/0 +toy_example .* live", "and enables it again")
    s.keys("\r")
    like(s.text, r"\[(\d )?asm\] entry 0/0 toy_example ─+ \d+ instructions", "Enter shows its code")
    s.keys(":")
    s.line("delete").keys("y\r")
    s.line("continue").see("the program ended with status 0")
    like("\n".join(s.pane("output")), r"call 0 gives 4\.4336\ncall 1 gives", "the output is the program's")
done()
