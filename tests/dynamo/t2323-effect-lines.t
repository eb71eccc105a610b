#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Statements of decompiled code that replay a side effect have the line that caused it."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
with Cdbg("""
    import torch
    total = 0

    class Meter:
        def __init__(self):
            self.history, self.calls, self.last, self.inner = [], 0, None, Other()

    class Other:
        last = None

    @torch.compile(backend="eager")
    def f(self, x, name):
        global total
        self.calls += 1           # calls
        m = x.mean()
        self.history.append(m)    # history
        self.last = name          # last
        self.inner.last = name    # inner
        total += 1                # total
        return m

    f(Meter(), torch.ones(2), "a")
    print("end")  # stop
""") as d:
    d.do("break %d" % d.line_of("# stop"))
    d.go()
    rows = [r for r in d.rows("decompile 0/0") if r.get("region") == "side effects"]
    lines = {r["text"].strip(): r.get("user_line") for r in rows}


    def line(text):
        found = [lines[t] for t in lines if text in t]
        return found[0] if len(found) == 1 else found


    is_(line("[:] = "), d.line_of("# history"), "a list that is filled has the line of append()")
    is_(line("total = "), d.line_of("# total"), "a global that is assigned has the line of its statement")
    is_(line("calls = "), d.line_of("# calls"), "an attribute that a call sets has the line that set it")
    own = [lines[t] for t in lines if ".last = " in t]
    ok(len(own) == 2 and set(own) <= {None, d.line_of("# last"), d.line_of("# inner")} and set(own) in ({None}, {d.line_of("# last"), d.line_of("# inner")}),
       "attributes of one name of two objects have their own lines or none", lines)
    is_({n for n in lines.values() if n} - {d.line_of("# " + t) for t in ("history", "total", "calls", "last", "inner")}, set(),
        "no other line is named")
    d.run_out()
done()
