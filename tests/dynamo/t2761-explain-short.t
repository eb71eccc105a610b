#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""explain without an argument prints at most 200 lines: reasons and causes first, counted, and commands for the rest that work."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
with Cdbg(os.path.join(top, "tests", "cases", "many_reasons.py")) as d:
    d.do("break %d" % d.line_of("    print(total)"))
    d.go()
    text = d.text("explain")
    if os.environ.get("SHOW"):
        print(text)
    lines = text.splitlines()
    ok(60 < len(lines) <= 200, "explain of 24 functions with 72 compiles prints at most 200 lines", len(lines))
    heads = re.findall(r"^(graph breaks|compiled again|functions|guards)\b", text, re.M)
    is_(heads, ["graph breaks", "compiled again", "functions", "guards"], "reasons of breaks come first, then causes of compiles, guards last")
    like(text, r"^graph breaks: 72, for \d+ reasons?$", "the graph breaks are counted")
    like(text, r"^  36 x Call to `torch._dynamo.graph_break\(\)`\n      in fn_\d+ at many_reasons.py:4 \(3 times\), .* and \d+ more places$",
         "breaks of one reason are one row, with the places")
    like(text, r"Hint: Remove the `torch._dynamo.graph_break\(\)` call", "with torch's hint")
    like(text, r"^  \d+ x n == 0\n      in fn_\d+.*\n      remedy: \S", "compiles for guards on one source are one row, with the remedy")
    ok(sum(int(n) for n in re.findall(r"^  (\d+) x n == ", text, re.M)) == 48, "each compile after a function's first is counted", text)
    commands = sorted(set(re.findall(r"'((?:explain|info) [^']*)'", text)) - {"explain FUNC", "info breaks FUNC", "info entries FUNC"})
    ok(any(c.startswith("explain ") for c in commands) and any(c.startswith("info guards ") for c in commands),
       "functions and guards have the command that shows all of them", commands)
    refused = [c for c in commands if d.cmd(c).get("ok") is not True]
    is_(refused, [], "each command that it names works")
    like(d.text("explain -g fn_3"), r"^  guards: \d+\n    \S", "a function by name is explained in full")
    d.do("delete")
    d.run_out()

FEW = """
    import torch
    @torch.compile(backend="eager")
    def f(x, *rest):
        for r in rest:
            x = x + r
        return x
    f(*[torch.ones(2) for i in range(150)])
    f(*[torch.ones(2) for i in range(151)])
    end = 1
"""
with Cdbg(FEW) as d:
    d.do("break %d" % d.line_of("end = 1"))
    d.go()
    lines = d.text("explain").splitlines()
    ok(len(lines) <= 200, "entries with many guards take no more lines", len(lines))
    like("\n".join(lines), r"^compiled again: 1 time, for 1 cause", "they are shown in short, too")
    ok(len(d.text("explain -g f").splitlines()) > 200, "the function by name is explained in full")
    d.run_out()
done()
