#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Operators run their sub-graphs on tensors without values while Dynamo compiles a function: steps, breakpoints and catchpoints in a
# graph that runs already pass these.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import torch
    torch.manual_seed(0)
    x = torch.randn(3, 4)
    def inner(x):
        def yes(a):
            return torch.cond(a.max() > -1000, lambda a: a.tanh() + 1, lambda a: a.sin(), (a.clone(),))
        return torch.cond(x.sum() > -1000, yes, lambda a: a.cos(), (x,))
    def f(x):
        torch._dynamo.graph_break()
        return inner(x).sum()
    c = torch.compile(f, backend="eager")
    for turn in range(2):
        print("%.5f" % c(x).item())
    """


def types(d):
    return d.text("print sorted({type(v).__name__ for v in locals().values()})")


with Cdbg(PROGRAM, limit=240) as d:
    plain = bare(d.path)
    d.do("break node:*")
    seen = []
    while len(seen) < 60 and not d.exited:
        stop = d.go("continue")
        if not d.exited:
            seen.append((stop["frame"].get("node"), types(d)))
    is_([s for s in seen if "Fake" in s[1]], [], "break node:* stops at no node whose values are traced, also in the call that compiles")
    ok([s for s in seen if s[0] == "tanh"], "... but where the branch computes", seen)
    is_((d.out, d.exited["status"]), (plain[1], plain[0]), "... and the program's results are as without cdbg")

with Cdbg(PROGRAM, limit=240) as d:
    d.do("break %d" % d.line_of("c(x).item"))
    d.go()
    d.do("delete")
    seen = []
    while len(seen) < 60 and not d.exited:
        frame = d.go("stepg")["frame"]
        if frame["function"] == "<module>":
            break
        if frame["kind"] == "graph":
            seen.append((frame.get("node"), types(d)))
    is_([s for s in seen if "Fake" in s[1]], [], "stepg into a call that compiles goes through no node whose values are traced")
done()
