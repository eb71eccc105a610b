#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Nodes that change a tensor in place: their names, their figures, and 'catch nan'."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
PROGRAM = """
    import sys
    import torch
    def f(a, m):
        x = torch.sin(a)
        x += 1
        x[m] = 3
        x[0] = -5
        x.mul_(2)
        %s
        y = x + 1
        x.zero_()
        return y
    c = torch.compile(f, backend="eager")
    for i in range(2):
        c(torch.ones(4, 3), torch.ones(4, 3) > 2)
    """

with Cdbg(PROGRAM % "x.neg_()") as d:
    d.do("tbreak f")
    d.go()
    names = [r["node"] for r in d.rows("graph show")]
    d.do("tbreak node:x_1")
    d.go()
    is_((d.frame.get("node"), d.frame.get("user_line")), ("x_1", d.line_of("x += 1")), "the node of an augmented assignment has its own name")
    rows = d.rows("info graph")
    is_([r["node"] for r in rows], [n for n in names if not n.startswith("l_")], "'info graph' has the names of 'graph show'")
    while d.frame.get("function") == "forward" and d.frame.get("node") != "output":
        rows = d.rows("info graph")
        d.go("step")
    rows = {r["node"]: r for r in rows}
    for node, figures in (("x_1", (1.8415, 1.8415)), ("setitem", (1.8415, 1.8415)), ("setitem_1", (-5, 1.8415)), ("mul_", (-10, 3.6829)),
                          ("neg_", (-3.6829, 10))):
        r = rows[node]
        ok(r["state"] == "done" and (r["min"], r["max"]) != (None, None) and abs(r["min"] - figures[0]) < 1e-3
           and abs(r["max"] - figures[1]) < 1e-3, "%s: what it made of the tensor is shown" % node, str(r))

for line, node in (("x.log_()", "log_"), ("x -= torch.log(x)", "log"), ("x /= x.floor() - x.floor()", "x_2"), ("x.view(-1).sqrt_()", "sqrt_"),
                   ("torch._foreach_log_([x])", "_foreach_log_"), ("torch.log(x, out=x)", "log"), ("x[1] = x[0].log()", "log"), ("(x * 1).log_()", "log_")):
    with Cdbg(PROGRAM % line) as d:
        d.do("tbreak f")
        d.go()
        d.do("catch nan")
        seen = []
        while not d.exited:
            if d.go().get("reason") == "nan":
                seen.append(d.stop["detail"]["node"])
        ok(seen and all(n == node for n in seen) and len(seen) <= 2, "%s: catch nan stops after this node, once a call" % line, str(seen))

# What the variable of out= held before does not count as an input; complex numbers are looked at.
for name, body in (("out=", """
        x = torch.empty_like(a)
        torch.log(-1 - a, out=x)
        return x + 1"""), ("complex", """
        z = torch.complex(torch.log(-1 - a), a)
        return torch.view_as_real(z * 2)""")):
    with Cdbg("""
    import torch
    torch.use_deterministic_algorithms(True)    # torch.empty() is full of NaN
    def f(a):%s
    c = torch.compile(f, backend="eager")
    for i in range(2):
        c(torch.ones(4))
    """ % body) as d:
        d.do("tbreak f")
        d.go()
        d.do("catch nan")
        seen = []
        while d.go().get("reason") == "nan":
            seen.append(d.stop["detail"]["node"])
        is_(seen, ["log"] * 2, "%s: catch nan stops after the node that makes a NaN, once a call, and after no other" % name)
done()
