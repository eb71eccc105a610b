#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A breakpoint on a line that a graph computes reports that line, in a function and in its resume function."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()

with Cdbg("""
    import torch
    @torch.compile(backend="eager")
    def toy(a, b):
        x = a / (torch.abs(a) + 1)
        y = x + b
        if b.sum() < 0:
            b = b * -1
            z = x * b
            return z + 1
        b = b + 2
        w = x - b
        return w * y
    toy(torch.ones(3), torch.ones(3))
    for sign in 1, -1, 1, -1:
        toy(torch.ones(3), sign * torch.ones(3))
""") as d:
    d.do("break %d" % d.line_of("for sign"))
    d.go()
    lines = [d.line_of(t) for t in ("y = x + b", "z = x * b", "w = x - b")]
    for line in lines:
        d.do("break %d" % line)
    got = []
    while not d.exited and len(got) < 20:
        d.go()
        if d.stop.get("number", 0) > 1:
            got.append((d.frame["line"], lines[d.stop["number"] - 2]))
            rows = d.rows("info frames")
            if rows[0]["line"] != d.frame["line"]:
                got.append(("info frames", rows[0]["line"]))
    is_([a for a, b in got], [b for a, b in got],
        "each stop's line is that of its breakpoint")
    ok({b for a, b in got} == set(lines), "in the function and in both resume functions", got)
    ok(len(got) >= 8, "in every call", got)

with Cdbg("""
    import torch
    @torch.compile(backend="eager")
    def f(x):
        y = x + 1
        z = y * 2
        return z
    f(torch.ones(2))
    f(torch.ones(2))
""") as d:
    d.do("break 8")
    d.go()
    d.do("break 5")
    d.go()
    is_(d.frame["line"], 5, "a line in the middle of a graph is reported")
    is_(d.frame["region"], "graph call", "... at the region that computes it")
    d.go("next")
    ok(d.frame["region"] != "graph call", "... and next leaves that region", d.stop)

done()
