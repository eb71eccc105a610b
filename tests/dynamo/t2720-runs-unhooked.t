#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Commands that run or compile a graph call nothing of the program's by torch: no hook on saved tensors, modules, gradients or compiles, no
mode, and no row of operations for its profiler.  Each program prints what it counted."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
cases = os.path.join(top, "tests", "cases")
RUNS = ["graph run 0/0", "graph run 0/0 forward", "graph run 0/0 backward", "graph memory 0/0", "graph recompile 0/0 -backward",
        "graph compare 0/0", "graph compare 0/0 -backward"]


def with_commands(name, stop, passed, commands):
    """(what the program printed, [(command, its text)]) with the commands at a stop."""
    with Cdbg(os.path.join(cases, name)) as d:
        d.do("break " + stop)
        for _ in range(1 + passed):
            d.go()
        answers = [(command, d.do(command)["text"]) for command in commands]
        d.do("delete")
        d.run_out()
        return d.out, answers


def same(name, stop, passed, commands, what):
    plain = bare(os.path.join(cases, name))[1]
    out, answers = with_commands(name, stop, passed, commands)
    is_(out, plain, what)
    return answers


answers = same("hooks_counted.py", "f", 1, RUNS + ["entry run -f 0/0", "entry diff -f 0/0"],
               "hooks on saved tensors and gradients, callbacks of compiles, anomaly mode, a function mode and a profiler see nothing")
for command, text in answers:
    if "compare" in command:
        like(text, r"^no wrong node found$", "... and '%s' finds nothing wrong" % command)
    if command == "entry diff -f 0/0":
        like(text, r"^equal to eager", "... and entry diff says equal, though hooks were called more often in eager")
same("hooks_on_modules.py", "f", 1, RUNS, "hooks on all modules and on their registration, forward AD and a message against hooks see nothing")
answers = same("dispatch_mode_counted.py", "here", 0, ["graph run 0/0 with x=x", "graph compare 0/0 with x=x", "graph recompile 0/0 with x=x"],
               "a function mode and a default device see nothing")
like(answers[0][1], r"(?m)^made_3 .* 4\.57 ", "... and the graph, which has what the mode does, is not given it twice")
like(answers[1][1], r"^no wrong node found$", "... and nothing is wrong in it")
same("dispatch_mode_counted.py", "here", 2, ["graph run 0/0 with x=x", "graph compare 0/0 with x=x"], "a dispatch mode sees nothing of a run of a graph")
done()
