#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# graph compare judges the results and gradients of a graph that draws random numbers. Where inductor draws other numbers than eager, it is
# compiled again to draw eager's.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_inductor()

PROGRAM = """
    import sys, torch
    import torch.nn.functional as F
    torch.set_num_threads(1)
    torch.manual_seed(0)
    torch.set_grad_enabled(False)
    torch._dynamo.config.allow_rnn = True
    net = torch.nn.LSTM(8, 8, 2)
    heads = torch.nn.MultiheadAttention(8, 2, dropout=0.5, batch_first=True)
    def bernoulli(x):
        return torch.bernoulli(x.sigmoid()) * x
    def in_place(x):
        return torch.empty_like(x).normal_() * x
    def attention(x):
        return F.scaled_dot_product_attention(x, x, x, dropout_p=0.5) + 1
    def attention_all(x):
        return F.scaled_dot_product_attention(x, x, x, dropout_p=0.0) + 1
    def recurrent(x):
        return net(x)[0] + 1
    def many_heads(x):
        return heads(x, x, x)[0] + 1
    def channels(x):
        return F.dropout(F.dropout2d(x[None] + 1, 0.5).tanh().mean(3), 0.5) * 2
    def rounded(x):
        return (F.dropout(x, 0.5).mean() + 100).bfloat16()
    def trained(x):
        return F.dropout(torch.tanh(x @ w), 0.5) * 2    # here
    if sys.argv[2:]:
        from torch._inductor import decomposition
        decomposition.decompositions[torch.ops.aten.tanh_backward.default] = lambda g, y: g * (1 - y * y) * 1.01
    w = torch.randn(8, 8)
    x = torch.randn(2, 8, 8)
    for f in bernoulli, in_place, attention, attention_all, recurrent, many_heads, channels, rounded:
        c = torch.compile(f, backend=sys.argv[1], dynamic=False)
        for i in range(2):
            print("%.6f" % float(c(x).sum()))
    with torch.enable_grad():
        c = torch.compile(trained, backend=sys.argv[1])
        w.requires_grad_()
        for i in range(2):
            c(x).sum().backward()
    print("%.6f" % float(w.grad.sum()))
    """
NAMES = "bernoulli", "in_place", "attention", "attention_all", "recurrent", "many_heads", "channels", "rounded"

for backend in "inductor", "aot_eager":
    with Cdbg(PROGRAM, backend, limit=400) as d:
        for name in NAMES:
            d.do("delete")
            d.do("break " + name)
            d.go()
            d.go()
            reply = d.do("graph compare")
            is_(reply["first"], None, "%s: no node of '%s' is wrong" % (backend, name))
            results = [r["ok"] for r in reply["rows"] if r["stage"] == "result"]
            nodes = [r["ok"] for r in reply["rows"] if r["stage"] != "result"]
            if name in ("attention_all", "recurrent"):
                is_((results, "random" in reply["text"]), ([True], False), "... a dropout of 0 draws nothing: the result is right")
                is_((bool(nodes), set(nodes)), (True, {True}), "... and so are the nodes")
                continue
            if backend == "aot_eager" or name == "in_place" and torch_version() < (2, 15):     # where inductor draws other numbers, too
                is_((results, "random" in reply["text"]), ([True], False), "... it draws eager's numbers, also in float64: its result is right")
            else:
                is_(results, [True], "... compiled to draw eager's numbers, its result is right")
                like(reply["text"], "note: results are those of the graph, compiled again .* draws eager's random numbers",
                     "... and a note names the setting")
            is_((bool(nodes), set(nodes) - {True}), (True, set()), "... its nodes are right")
        d.run_out()
        is_(d.out, bare(d.path, backend)[1], "%s: the program's results, gradients and random numbers are as without cdbg" % backend)
for words in ((), ("wrong",)):
    with Cdbg(PROGRAM, "inductor", *words, limit=400) as d:
        d.do("break trained")
        d.go()
        reply = d.do("graph compare -backward")
        gradients = [r["ok"] for r in reply["rows"] if r["stage"] == "gradient"]
        if words:
            is_((reply["first"], gradients), ("tanh", [False]), "a wrong gradient of a graph that draws random numbers: the node is named")
            like(reply["text"], "line: prog.py:%d in trained" % d.line_of("# here"), "... with its line")
        else:
            is_((reply["first"], gradients), (None, [True]), "... and one that is right is right")
done()
