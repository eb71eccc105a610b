#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Looking at compiled functions: generated code folded, beside the original, one row a function in the backtrace, source of
the user's function, tensors on the stack and in locals."""
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
TOY = os.path.join(top, "doc/examples/toy.py")
at = {text: line_of(TOY, text) for text in ("def toy_example", "x = a / ", "if b.sum", "b = b * -1", "return x * b", "out = toy_example")}

with Cdbg(TOY) as d:
    d.do("break toy_example")
    d.go()
    code = d.rows("info code")
    text = d.text("disassemble")
    lines = text.rstrip("\n").split("\n")
    is_(lines[0], "generated code of toy_example, entry 0/0, %d instructions" % len(code), "disassemble says whose code and which entry")
    ok(len(lines) < (25 if torch_version() > (2, 6) else 15) < len(code), "%d instructions show in %d lines" % (len(code), len(lines)), text)
    like(text, r"^=>.? graph call +__compiled_fn_1\(a, b\) +[24]\.\.\d+ +lines %d-%d +\d+ nodes" % (at["x = a / "], at["if b.sum"]),
         "the graph call is one row, with the arrow, its arguments, lines and nodes")
    like(text, r"^ +break +(TO_BOOL|POP_JUMP_(FORWARD_)?IF_FALSE) .*\d+ +line %d +if b\.sum\(\) < 0:$" % at["if b.sum"],
         "the break shows its instruction and the user's line")
    is_(len(re.findall(r"^ +resume call +__resume_at_\d+_\d+\(.*line (\d+)", text, re.M)), 2, "each resume call is one row")
    is_(sorted(map(int, re.findall(r"^ +resume call .*line (\d+)", text, re.M))), [at["b = b * -1"], at["return x * b"]],
        "with the line that it continues at")
    is_(len(d.text("disassemble -a").rstrip("\n").split("\n")), len(code) + 1, "-a shows all instructions")
    is_(d.text("disassemble toy_example").replace("=>", "  "), text.replace("=>", "  "), "a function's name shows the code that runs for it")
    is_(d.text("disassemble 0/0"), d.text("disassemble toy_example"), "its entry too")
    beside = d.text("disassemble -o")
    is_(len(re.findall(r"resume call .* line (\d+) +\| +\1 +\d+ ", beside)), 2, "-o puts a resume call beside the line where it continues")
    like(beside, r"^ +break +(TO_BOOL.*\n +)?POP_JUMP.*\|.*POP_JUMP", "and the break beside the user's own branch")
    like(beside, r"\|.*LOAD_(METHOD|ATTR) (NULL\|self \+ )?sum", "the original bytecode is whole")
    like(d.text("ll"), r"\A *%d .*def toy_example|\A *\d+ B? *@torch" % at["def toy_example"], "ll shows the user's function")
    like(d.text("list"), r"->", "list marks the line that the instruction stands for")
    is_({r["name"]: r["value"] for r in d.rows("info locals") if r["name"] in "ab"}, {"a": "f32[10] cpu", "b": "f32[10] cpu"},
        "arguments are tensors by type, shape and device")

    while d.frame["region"] != "break":
        d.go("next")
    stack = d.rows("info stack")
    is_((stack[-1]["value"], stack[-1]["operand"]), ("bool[] cpu False", True), "the branch takes a bool tensor from the stack")
    is_(sum(r["operand"] for r in stack), 1, "and nothing else")
    while not d.frame["function"].startswith("torch_dynamo_resume"):
        d.go("step")
    frames = [r for r in d.rows("info frames") if not r["hidden"]]
    is_(len({r["logical"] for r in frames if r["kind"] == "generated"}), 1, "the function and its resume function share `logical`")
    is_([r["line"] for r in frames if r["function"] == "main"], [at["out = toy_example"]], "its caller follows")
    like(d.text("disassemble"), r"\Agenerated code of .*toy_example.*, entry 1/0", "the resume function has generated code of its own")
    like(d.text("ll"), r"def toy_example", "ll shows the user's function there too")
    d.do("delete")
    d.run_out()
    like(d.out, r"^call 2 gives", "the program runs to its end")

status, out, err = run(TOY, commands=["break toy_example", "continue", "step 4", "bt", "detach"])
like(out, r"^=> #0 +toy_example at .*toy\.py:\d+ \[generated 0/0, resumed at line \d+ in 1/0, .*\]$",
     "bt shows a person one row with its pieces")
done()
