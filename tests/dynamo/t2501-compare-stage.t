#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph compare with a backend that compiles AOTAutograd's graph without inductor: each node of that graph is compared with the
captured node that it was made from, whether a result is wrong or not."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
PROGRAM = """
    import torch
    import torch.nn.functional as F
    from torch._dynamo.backends.common import aot_autograd
    aten = torch.ops.aten
    def as_it_is(gm, inputs):
        return gm.forward
    def with_wrong(op, made):
        return aot_autograd(fw_compiler=as_it_is, decompositions={op: made})
    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.up, self.down = torch.nn.LayerNorm(8), torch.nn.Linear(8, 16), torch.nn.Linear(16, 8)
        def forward(self, x):
            h = self.norm(x)
            h = torch.tanh(self.up(h))
            h = h[:, ::2].cumsum(1).repeat(1, 2)
            return x + self.down(h)
    def hidden(x):
        a = torch.tanh(x)
        return (a > -2).sum(), x * 2
    def draws(x):
        return torch.tanh(x) + torch.rand_like(x)
    torch.manual_seed(0)
    block = Block()
    def right(x): return block(x)
    def wrong(x): return block(x)
    x = torch.randn(4, 8)
    off = with_wrong(aten.tanh.default, lambda x: aten.sinh(x) / aten.cosh(x) + 1e-3)
    for name, backend in (right, "aot_eager"), (wrong, off), (hidden, off), (draws, "aot_eager"):
        torch._dynamo.reset()
        torch.compile(name, backend=backend)(x)
"""
with Cdbg(PROGRAM, limit=300) as d:
    def compared(function, more=""):
        d.do("tbreak " + function)
        d.go()
        return d.do("graph compare" + more)

    a = compared("right")
    nodes = {r["node"]: r for r in a["rows"] if r["stage"] == "forward"}
    ok(a["first"] is None and all(r["ok"] for r in a["rows"]), "a right graph has no wrong node", str([r for r in a["rows"] if not r["ok"]]))
    is_([n for n in ("h", "linear", "h_1", "cumsum", "h_2", "linear_1", "add") if n not in nodes], [],
        "each captured node has a row, in AOTAutograd's graph")
    is_(nodes["h_1"]["line"], line_of(d.path, "torch.tanh(self.up"), "with its line")
    is_(nodes["h_1"]["target"], "aten.tanh.default", "and its operation")
    like(a["text"], r"no wrong node found", "the text reports it")

    a = compared("wrong")
    is_((a["first"], [r["node"] for r in a["rows"] if r["stage"] == "forward"][-1]), ("h_1", "h_1"),
        "a wrong decomposition is named, and ends the table")
    like(a["text"], r"the first wrong node is 'h_1' .*stage forward(.*\n)+ *line: .*:%d " % line_of(d.path, "torch.tanh(self.up"), "with its line")

    a = compared("hidden")
    is_(a["first"], None, "where no result is wrong, no node is the first wrong one")
    is_({r["node"]: r["ok"] for r in a["rows"] if r["stage"] == "inference"}.get("a"), None, "a node that differs is neither right nor wrong")
    like(a["text"], r"node 'a' \(stage inference\) differs from the captured graph's by [\d.e+]+, but no result does", "a note names it")

    a = compared("draws")
    is_([r["node"] for r in a["rows"] if r["stage"] == "inference" and r["ok"]], ["tanh", "add"],
        "of a graph that draws random numbers, the nodes are compared that draw none")
done()
