#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The sub-graphs of a stage stay known after 'graph run' of the stage: shown, found by name, and with the program's lines when they run.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import torch
    torch.manual_seed(0)
    x, w = torch.randn(3, 4, requires_grad=True), torch.randn(4, 4, requires_grad=True)
    def f(x, w):
        a = (x @ w).relu()
        def yes(a, w):
            def deep(b):
                return b.tanh() + 1  # tanh
            return torch.cond((a @ w).max() > -1000, deep, lambda b: b.sin(), (a,))
        return torch.cond(a.sum() > -1, yes, lambda a, w: a.cos(), (a, w)).mean()
    c = torch.compile(f, backend="aot_eager")
    for turn in range(3):
        x.grad = w.grad = None
        c(x, w).backward()
        print("%.5f" % x.grad.sum().item())
    """

with Cdbg(PROGRAM, limit=240) as d:
    plain = bare(d.path)
    line = d.line_of("# tanh")
    d.do("break f")
    d.go()
    d.do("delete")
    inside = {}
    for stage in "forward", "backward", "joint":
        inside[stage] = [r for r in d.rows("graph run " + stage) if r["node"].endswith(".tanh")]
        is_([r["target"] for r in inside[stage]], ["aten.tanh.default"] * len(inside[stage]), "graph run %s says what a sub-graph's nodes call" % stage)
        ok([r for r in inside[stage] if r["line"]] == inside[stage] != [], "... and where the program wrote them", inside[stage])
    is_([r["line"] for r in inside["forward"]], [line], "the line is that of the branch")
    shown = [r["node"] for r in d.rows("graph show forward.true_graph_0")]
    ok("true_graph_0.tanh" in shown, "graph show has the sub-graphs of a stage that was run", shown)
    seen = []
    while len(seen) < 60 and not d.exited:
        frame = d.go("stepg")["frame"]
        if frame["function"] == "<module>":
            break
        seen.append((frame.get("node"), frame.get("user_line"), (d.rows("info graph") or [{}])[0].get("graph")))
    names = [s[2] for s in seen if s[0] == "tanh"]
    ok(names and names[0].endswith(" forward true_graph_0.true_graph_0"), "stepg names the sub-graph that it has entered", names)
    is_([s[1] for s in seen if s[0] == "tanh"][:1], [line], "... with the program's line")
    d.run_out()
    is_((d.out, d.exited["status"]), (plain[1], plain[0]), "the program's results are as without cdbg")
done()
