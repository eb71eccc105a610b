#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# set compile-seconds on: the source pane and info source have a column with the seconds that compiling each line took.
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
PROGRAM = """
    import time
    import torch

    @torch.library.custom_op("lab::slow", mutates_args=())
    def slow(x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @slow.register_fake
    def _(x):
        time.sleep(0.4)
        return torch.empty_like(x)

    def inner(x):
        return slow(x)

    @torch.compile(backend="eager")
    def f(x):
        y = inner(x)
        print("break")
        z = slow(y) + slow(y)
        return z - 1

    @torch.compile(backend="eager")
    def other(x):
        return slow(x)

    f(torch.ones(3))
    other(torch.ones(3))
    end = 1
    f(torch.ones(3))
    """
path = script(PROGRAM, "seconds.py")
with Cdbg(path) as d:
    end = d.line_of("end = 1")
    d.do("break seconds.py:%d" % end)
    d.go()
    d.do("break f")
    d.go()
    is_({r["seconds"] for r in d.rows("info source")}, {None}, "without the option there are no figures")
    d.do("set compile-seconds on")
    found = {r["line"]: r["seconds"] for r in d.rows("info source") if r["seconds"]}
    once, twice = d.line_of("def inner") + 1, d.line_of("z = slow(y)")
    ok(found[once] >= 0.4, "the line in a function that was inlined", found)
    ok(found[twice] >= 0.8, "a line of a resume function, with both of its operators", found)
    ok(0 < found[d.line_of("y = inner(x)")] < 0.4, "the line that called the inlined function has its own time only", found)
    second = d.line_of("def other") + 1
    ok(second not in found, "no line of another function", found)
    d.do("set compile-seconds off")
    is_({r["seconds"] for r in d.rows("info source")}, {None}, "and off again")

out = run(path, options=("--plain", "-q"), commands=["set compile-seconds on", "break seconds.py:%d" % end, "continue", "break f", "continue", "info source"])[1]
like(out, r"(?m)^ *line .* seconds *$", "people read the column's name")
like(out, r"z = slow\(y\) \+ slow\(y\) .* (0\.8|0\.9|[1-9]\.)\d+ *\n", "and the figure")

with Screen(path, rows=30, cols=150, options=["-q"], cwd=os.path.dirname(path)) as s:
    s.line("break seconds.py:%d" % end).line("continue").line("break f").line("continue")
    s.until(lambda: s.row(r"z = slow\(y\) \+ slow\(y\)"), "the pane shows the function")
    ok(not s.row(r"z = slow\(y\) \+ slow\(y\).* [01]\.\d{4}"), "no column at first")
    s.line("set compile-seconds on")
    s.until(lambda: s.row(r"z = slow\(y\) \+ slow\(y\).* [01]\.\d{4}"), "the column appears")
    ok(s.row(r"z = slow\(y\) \+ slow\(y\).* (0\.[89]|1\.)\d+"), "the source pane has the seconds of the line")
    s.line("set compile-seconds off")
    s.until(lambda: not s.row(r"z = slow\(y\) \+ slow\(y\).* [01]\.\d{4}"), "the column goes")
    ok(not s.row(r"z = slow\(y\) .* [01]\.\d{4}"), "and none when the option is off")
done()
