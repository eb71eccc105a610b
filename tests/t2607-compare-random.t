#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# graph compare judges the results and gradients of a graph that draws random numbers where the backend draws eager's, and calls a result
# neither right nor wrong where it draws others.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *

need_inductor()

PROGRAM = """
    import sys, torch
    import torch.nn.functional as F
    torch.set_num_threads(1)
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
    x = torch.randn(2, 8, 8)
    for f in bernoulli, in_place, attention, attention_all, recurrent, many_heads, channels, rounded:
        c = torch.compile(f, backend=sys.argv[1], dynamic=False)
        for i in range(2):
            print("%.6f" % float(c(x).sum()))
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
            if backend == "aot_eager" or name == "in_place":
                is_((results, "random" in reply["text"]), ([True], False), "... it draws eager's numbers, also in float64: its result is right")
            else:
                is_(results, [None], "... its result is other numbers, neither right nor wrong")
                like(reply["text"], "draws random numbers: .* its nodes were compared", "... and a note says why")
            is_((bool(nodes), set(nodes) - {True}), (True, set()), "... its nodes are right")
done()
