#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Graphs whose inputs share memory and have different types, and the backward of flex_attention, are run and compared.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
CASES = os.path.join(top, "tests", "cases")

with Cdbg(os.path.join(CASES, "memory_of_two_types.py")) as d:
    d.do("break both")
    d.do("break write")
    d.go()
    wrong, runs = [], 0
    while not d.exited:
        runs += 1
        for command in ("graph run", "graph compare"):
            r = d.do(command)
            if not r["ok"] or command == "graph compare" and r["text"].split("\n")[0] != "no wrong node found":
                wrong.append((runs, command, r.get("error") or r["text"].split("\n")[0]))
        d.go()
    is_(wrong, [], "every pair of inputs that share memory is run and compared")
    ok(runs >= 12, "... of complex, real, bool, integer and written ones, also with a parameter")
    is_(d.exited.get("status"), 0, "the program ends as without cdbg")

with Cdbg(os.path.join(CASES, "complex_views.py")) as d:
    d.do("break power")
    d.go()
    ok(d.do("graph run inference")["ok"], "a stage of a graph with a complex tensor and its real view runs")
    is_(d.do("graph compare")["text"].split("\n")[0], "no wrong node found", "... and is compared")

with Cdbg(os.path.join(CASES, "flex_parameter.py")) as d:
    d.do("break Attention.forward")
    d.go()
    d.go()
    for stage in ("joint", "backward"):
        r = d.do("graph run %s" % stage)
        rows = {row["node"]: row for row in r.get("rows", [])}
        ok("flex_attention_backward" in rows, "graph run %s: the backward of flex_attention with a parameter runs" % stage)
        like(rows.get("output", {}).get("dtype", ""), "[1-9] tensor", "... and gives the parameter's gradient")
done()
