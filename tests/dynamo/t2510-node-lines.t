#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The line of each node is the one that torch names for it, also where a node without a line is between two of one line."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
PROGRAM = """
    import torch
    lines = {}

    def backend(gm, inputs):
        for n in gm.graph.nodes:
            trace = n.meta.get("stack_trace")
            lines[n.name] = int(trace.rsplit(", line ", 1)[1].split(",")[0]) if trace else None
        return gm

    @torch.compile(backend=backend)
    def f(x):
        with torch.no_grad():
            y = x.sin()                     # sin
            with torch.enable_grad():
                z = y * y + 1
            w = z.cos() + y                 # cos
        with torch.autocast("cpu"):
            a = w @ w
        return (a + 1,
                a - 1)

    f(torch.ones(3))
    f(torch.ones(3))
    print("end")    # end
"""
with Cdbg(PROGRAM) as d:
    d.do("break %d" % d.line_of("# end"))
    d.go()
    expected = eval(d.text("print lines"))
    shown = {r["node"]: r.get("line") for r in d.rows("graph show __compiled_fn_1")}
    is_(shown, expected, "graph show has the lines that torch has")
    is_(shown.get("y"), d.line_of("# sin"), "... also of the first node of a block, after the node that turns gradients off")
    is_(sorted(n for n, line in expected.items() if line is None)[:1], ["_enter_autocast"], "the program has nodes without a line")
done()
