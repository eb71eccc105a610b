#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# graph compare with inductor names a wrong node in the sub-graph of a higher-order operator, and one that an in-place operation hides.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_inductor()

PROGRAM = """
    import sys, torch
    import torch.utils.checkpoint
    from torch._inductor import lowering
    torch.set_num_threads(1)
    lowerings, aten = lowering.lowerings, torch.ops.aten
    if "planted" in sys.argv:
        lowerings[aten.cos.default] = lowerings[aten.sin.default]
    def branch(a):
        def yes(t):
            return torch.cos(t) * 2
        def no(t):
            return torch.sin(t)
        b = (a + 1).mul(3)
        return torch.cond(b.sum() > -1e9, yes, no, (b,)) - 1
    def loop(a):
        def go(i, t):
            return i < 3
        def body(i, t):
            return i + 1, torch.cos(t) + 0.1
        return torch._higher_order_ops.while_loop(go, body, (torch.tensor(0), a))[1] * 2
    def nested(a):
        def inner(t):
            return t.cos()
        def outer(t):
            return torch.cond(t.sum() > -1e9, inner, inner, (t.exp(),))
        return torch.cond(a.sum() > -1e9, outer, torch.tanh, (a,))  # the other branch has a kernel that no cosine shares
    def layer(a):
        def forward(t):
            return torch.cos(t * 2) + t
        return torch.utils.checkpoint.checkpoint(forward, a, use_reentrant=False).exp()
    def scatter(a):
        i = torch.arange(32) % 5
        o = torch.zeros(5, 16).index_add(0, i, torch.cos(a))
        return torch.neg(o)[i] * a
    a = torch.randn(32, 16)
    with torch.no_grad():
        for f in branch, loop, nested, layer, scatter:
            c = torch.compile(f, backend="inductor", dynamic=False)
            for i in range(2):
                c(a)
    """
LINE = {name: next(i for i, line in enumerate(PROGRAM.split("\n")[1:], 1) if text in line) for name, text in (
    ("branch", "torch.cos(t) * 2"), ("loop", "torch.cos(t) + 0.1"), ("nested", "t.cos()"), ("layer", "torch.cos(t * 2)"),
    ("scatter", "index_add"))}
WRONG = {"branch": "cond_true_0.cos", "loop": "body_fn_0.cos", "nested": "cond_true_1.cond_true_0.cos", "layer": "wrap_body_0.cos", "scatter": "cos"}

for how in "right", "planted":
    with Cdbg(PROGRAM, how, limit=600) as d:
        for name in WRONG:
            d.do("delete")
            d.do("break " + name)
            d.go()
            d.go()
            reply = d.do("graph compare")
            if how == "right":
                is_((reply["first"], [r["node"] for r in reply["rows"] if r["ok"] is False]), (None, []),
                    "%s: nothing is wrong that is right" % name)
                continue
            is_(reply["first"], WRONG[name], "%s: the wrong cosine is named" % name)
            like(reply["text"], r"\n  line: prog\.py:%d in " % LINE[name], "... with its line")
            like(reply["text"], r"(?m)^  input \w+: min \S+, max \S+, mean \S+, NaN 0, Inf 0$", "... and what it was given")
            if name != "scatter":
                like(reply["text"], r"(?m)^  kernel: cpp_fused\w*cos", "... and its kernel")
done()
