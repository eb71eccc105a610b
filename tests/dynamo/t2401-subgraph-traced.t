#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Sub-graphs that torch traces while the program runs, on tensors without values: neither steps nor breakpoints stop there, only where they compute.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

HEAD = """
    import torch
    torch.manual_seed(0)
    x, w = torch.randn(3, 4, requires_grad=True), torch.randn(4, 4, requires_grad=True)
    """
TAIL = """
    c = torch.compile(f, backend="eager")
    def call():
        x.grad = w.grad = None
        r = c(x, w)
        r.backward()
        return r, x.grad, w.grad
    for turn in range(4):
        print(["%.6f" % t.double().sum().item() for t in call()], torch.get_rng_state().sum().item())
    """
COND = """
    def f(x, w):
        a = (x @ w).relu()
        def yes(a, w):
            h = torch.tanh(a @ w)
            return h * 2
        def no(a, w):
            return a.sin() - w.sum()
        return torch.cond(a.sum() > 0, yes, no, (a, w)).mean()
    """
SCAN = """
    from torch._higher_order_ops import scan
    def f(x, w):
        def step(c, a):
            n = torch.tanh(c @ w + a)
            return n, n * 2
        last, ys = scan(step, torch.zeros(4), x)
        return ys.sum() + last.mean()
    """
MAP = """
    from torch._higher_order_ops.map import map as over
    def f(x, w):
        return over(lambda a, w: (a.cos() * w).sum(), x, w).sum()
    """
NESTED = """
    def f(x, w):
        a = (x @ w).relu()
        def inner(a, w):
            return torch.cond(a.max() > 0, lambda a: a.tanh() + 1, lambda a: a.sin(), (a * w.sum(),))
        return torch.cond(a.sum() > 0, inner, lambda a, w: a.cos() * w.sum(), (a, w)).mean()
    """
# a node of the sub-graph as it is computed, and how often that is at least
CASES = [("cond", COND, "tanh", 1), ("cond in cond", NESTED, "tanh", 1), ("scan", SCAN, "tanh", 3), ("map", MAP, "cos", 3)]
NEEDS = {"scan": "torch._higher_order_ops.scan"}


def walked(d):
    """Steps through one call: (node, the types of the frame's variables) of each stop in a graph."""
    seen = []
    while len(seen) < 300 and not d.exited:
        stop = d.go("stepg")
        if stop["frame"]["function"] == "<module>":
            return seen
        if stop["frame"]["kind"] == "graph":
            seen.append((stop["frame"].get("node"), d.text("print sorted({type(v).__name__ for v in locals().values()})")))
    return seen


for what, program, node, times in CASES:
    if what in NEEDS and not torch_has(NEEDS[what]):
        skip(what, "this version of torch lacks it")
        continue
    program = HEAD + program + TAIL
    plain = bare(program)[1]
    with Cdbg(program, limit=240) as d:
        d.do("break f")
        d.go()
        d.go()
        d.do("delete")
        seen = walked(d)
        is_([s for s in seen if "Fake" in s[1] or "Functional" in s[1]], [], "%s in training: steps see tensors with values only" % what)
        names = [s[0] for s in seen]
        ok(len([n for n in names if n and n.startswith(node)]) >= times, "... in each run of the sub-graph", str(names))
        if what == "cond":
            is_([n for n in names if n == "sin"], [], "... and the branch that is not taken is not entered")
            d.do("break node:cond_false_0.*")
            d.do("break node:cond_true_0.h")
            stop = d.go()
            is_((stop["reason"], stop["frame"].get("node")), ("breakpoint", "h"), "break node: stops in the branch that is taken only")
            like(d.text("print matmul"), r"tensor\(", "... with the values there")
            is_([r["hits"] for r in d.rows("info breakpoints")], [0, 1], "... and counts these stops")
            is_(d.go("finish")["frame"]["function"], "forward", "finish goes to the end of the branch")
            like(d.text("bt"), r"(?s)#0 .*forward.*#\d+ .*forward.*f at", "bt: the branch, the graph around it, and the function")
            d.do("delete")
        d.run_out()
        is_((d.out, d.exited["status"]), (plain, 0), "%s: the program's results and random numbers are as without cdbg" % what)
done()
