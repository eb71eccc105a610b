#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph compare with a backend that compiles AOTAutograd's graph without inductor: a wrong decomposition is named in graphs that draw
random numbers, in sub-graphs, in a node that makes several tensors, and in the gradient of each of these; right ones give no alarm."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
PROGRAM = """
    import sys, torch
    import torch.nn.functional as F
    from functorch.compile import make_boxed_func
    from torch.utils.checkpoint import checkpoint
    from torch._dynamo.backends.common import aot_autograd
    aten = torch.ops.aten
    def boxed(gm, inputs):
        return make_boxed_func(gm.forward)
    wrong = {"right": {},
             "forward": {aten.tanh.default: lambda x: aten.sinh(x) / aten.cosh(x) + 1e-3, aten.topk.default: lambda x, k: (
                 aten.sort(x, -1, True)[0][..., :k] * 1.01, aten.sort(x, -1, True)[1][..., :k])},
             "backward": {aten.tanh_backward.default: lambda g, y: g * (1 - y * y) * 1.01}}[sys.argv[1]]
    backend = aot_autograd(fw_compiler=boxed, bw_compiler=boxed, decompositions=wrong)
    up, down, norm = torch.nn.Linear(8, 16), torch.nn.Linear(16, 8), torch.nn.LayerNorm(8)
    def drops(x):
        h = F.dropout(up(x), 0.2)
        h = torch.tanh(h)
        return norm(down(F.dropout(h, 0.2)) + x)
    def noise(x):
        a = x * 2 + torch.rand_like(x)
        return torch.tanh(a) * torch.randn(8) + x.clone().bernoulli_(0.5)
    def twice(x):
        def layer(t):
            return F.dropout(torch.tanh(t * 2), 0.5)
        return checkpoint(layer, checkpoint(layer, x, use_reentrant=False), use_reentrant=False).exp()
    def branch(x):
        def yes(t):
            return torch.tanh(t) * 2
        def no(t):
            return torch.sin(t)
        return torch.cond(x.sum() > -1e9, yes, no, (F.dropout(x + 1, 0.5),)) - 1
    def loop(x):
        def go(i, t):
            return i < 2
        def body(i, t):
            return i + 1, torch.tanh(t) + 0.1
        with torch.no_grad():
            return torch._higher_order_ops.while_loop(go, body, (torch.tensor(0), x.detach()))[1] * 2
    def nested(x):
        def inner(t):
            return torch.tanh(t)
        def outer(t):
            return torch.cond(t.sum() > -1e9, inner, inner, (t.exp(),))
        return torch.cond(x.sum() > -1e9, outer, torch.sin, (x,))
    def parts(x):
        most, where = (x * 2).topk(3)
        return most.sum(1) + where.sum(1)
    def sums(x):
        a = torch.tanh(x).sum()
        return a - x.pow(2).mean()
    key = torch.nn.Linear(8, 8)                     # the gradient of its bias is 0 but for rounding
    def heads(x):
        q, k, v = x.view(4, 2, 4), key(x).view(4, 2, 4), x.exp().view(4, 2, 4)
        p = F.dropout((torch.tanh(q) @ k.mT).softmax(-1), 0.1, True, False)
        return norm(F.dropout((p @ v).view(4, 8) * 2, 0.1, inplace=True))
    def checked(x):                                 # an operation that may raise: torch keeps it in order by a token
        a = torch.tanh(x) + 0
        return torch.linalg.cholesky(a @ a.mT + torch.eye(4) * 2).exp()
    x = torch.randn(4, 8, requires_grad=True)
    for f in drops, noise, twice, branch, loop, nested, parts, sums, heads, checked:
        c = torch.compile(f, backend=backend, dynamic=False)
        for i in range(2):
            r = c(x)
            if r.requires_grad:
                r.sum().backward()
    """
NAMES = "drops", "noise", "twice", "branch", "loop", "nested", "parts", "sums", "heads", "checked"
WRONG = {"forward": {"drops": "h_1", "noise": "tanh", "twice": "wrap_body_0.tanh", "branch": "cond_true_0.tanh", "loop": "body_fn_0.tanh",
                     "nested": "cond_true_1.cond_true_0.tanh", "parts": "topk", "sums": "tanh", "heads": "tanh", "checked": "tanh"},
         "backward": {"drops": "h_1", "noise": "tanh", "twice": "wrap_body_1.tanh", "sums": "tanh", "heads": "tanh", "checked": "tanh"}}
LINES = PROGRAM.split("\n")[1:]


def line_in(function):
    start = next(i for i, line in enumerate(LINES) if "def %s(" % function in line)
    return next(i for i, line in enumerate(LINES[start:], start + 1) if "torch.tanh(" in line or ".topk(" in line)


for how in "right", "forward", "backward":
    with Cdbg(PROGRAM, how, limit=400) as d:
        for name in NAMES:
            d.do("delete")
            d.do("break " + name)
            d.go()
            d.go()
            reply = d.do("graph compare -backward")
            bad = [(r["node"], r["stage"]) for r in reply["rows"] if r["ok"] is False]
            if how == "right":
                is_((reply["first"], bad), (None, []), "%s: nothing is wrong that is right" % name)
                is_([r["node"] for r in reply["rows"] if r["ok"] is None], [], "... and all is judged")
                is_([r["node"] for r in reply["rows"] if "written" in r["node"]], [], "... and no input is written")
                if name == "twice":
                    ok(reply["rows"][0]["reference_diff"] > 0, "... float64 is more exact in sub-graphs, too", repr(reply["rows"][0]))
                if name in ("drops", "heads"):
                    ok([r for r in reply["rows"] if r["stage"] == "gradient" and r["reference_diff"] > 0], "... nor in a gradient", reply["text"])
                if name == "checked":
                    for stage in "forward", "joint", "backward":
                        is_(d.error("graph run " + stage), None, "... stage %s runs" % stage)
                if name == "branch":
                    is_({r["node"]: r["target"] for r in reply["rows"]}.get("cond"), "cond[0]", "... and cond has a row")
                is_(any(r["stage"] == "gradient" for r in reply["rows"]), name != "loop", "... the gradient, too, where there is one")
            elif name in WRONG[how]:
                is_(reply["first"], WRONG[how][name], "%s, %s: the node is named" % (name, how))
                like(reply["text"], r"\n  line: prog\.py:%d in " % line_in(name), "... with its line")
                ok(how == "forward" or [node for node, stage in bad if stage == "gradient"], "... and the gradient is wrong", repr(bad))
done()
