#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# What graph commands answer about values that the graph does not read, sizes that are not known, tensors that hold others, and entries that are gone.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

with Cdbg("""
    import torch
    w = torch.ones(4, 4)
    def f(x, n):
        return (x @ w).relu().sum() * n
    c = torch.compile(f, backend="eager", dynamic=False)
    for i in range(2):
        c(torch.ones(3, 4), 2)
    torch._dynamo.reset()
    print("done")
    """, limit=240) as d:
    d.do("break f")
    d.go()
    d.go()
    d.do("delete")

    def noted(line):
        n = len(d.notes)
        r = d.cmd(line)
        return r, [t["text"] for t in d.notes[n:]]
    r, notes = noted("graph run with n=5")
    ok(r["ok"], "a value for a number that became a constant of the graph: the graph is run")
    is_([t for t in notes if "no input from 'n'" in t and "is not used" in t], notes[:1], "... and a note says that the value is not used")
    is_(len(notes), 1, "... once")
    is_(noted("graph run with x=torch.ones(3,4) w=torch.ones(4,4)")[1], [], "no note for an argument or a global that the graph reads")
    is_(d.error("graph run with x='a'"), "input 'l_x_' was a tensor when the graph was compiled, and L['x'] is of class 'str' now",
        "a value that is not a tensor is refused with its class")
    d.do("break prog.py:%d" % line_of(d.path, "print("))
    d.go()
    for line in ("graph run 0/0", "graph memory 0/0", "graph compare 0/0", "graph recompile 0/0", "graph save out.py 0/0"):
        like(d.error(line), r"entry '0/0' is gone from Dynamo's cache", "%s: the error is that the entry is gone" % line)
    like(d.error("graph run f"), r"no entry of 'f' .* is valid any more.*compiles the function again", "... also by the function's name")
    d.run_out()
    is_(d.out, "done\n", "the program ends as ever")

if torch_has("torch._dynamo.config.capture_dynamic_output_shape_ops"):
    with Cdbg("""
        import torch
        torch._dynamo.config.capture_dynamic_output_shape_ops = True
        def f(x):
            return (x[x > 0].sum() + (x[:, None] * x[None, :]).sum(0)).sum()
        c = torch.compile(f, backend="eager", dynamic=True)
        for i in range(2):
            c(torch.ones(6))
        print("done")
        """, limit=240) as d:
        d.do("break f")
        d.go()
        d.go()
        for line, what in (("graph run", "the run"), ("graph compare", "the comparison")):
            like(d.error(line + " with x=torch.ones(40000)"), r"^%s needs at least [\d.]+ GB of memory; '-f' " % what,
                 "%s: an estimate without sizes that depend on values says 'at least'" % line)
        d.do("delete")
        d.run_out()
        is_(d.out, "done\n", "the program ends as ever")

with Cdbg("""
    import torch
    def f(x):
        return (x * 2).sin()
    c = torch.compile(f, backend="eager")
    x = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(4, 3)], layout=torch.jagged)
    for i in range(2):
        c(x)
    print("done")
    """, limit=240) as d:
    d.do("break f")
    d.go()
    d.go()
    rows = {r["node"]: r["made"] for r in d.rows("graph memory")}
    is_([rows["mul"], rows["sin"]], [72, 72], "graph memory counts the tensors that a nested tensor holds")
    d.do("delete")
    d.run_out()
    is_(d.out, "done\n", "the program ends as ever")
    for line in ("graph run 0/0", "graph memory f", "graph compare 0/0 with x=torch.ones(2)"):
        like(d.error(line), r"the program has ended, and entry '0/0' with it: 'restart'", "... then %s says what to do" % line)
done()
