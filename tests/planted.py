#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""25 wrong lowerings planted in 25 models: does graph compare name the node and its line?

    CDBG_BUILD=build CDBG_PYTHON=python tests/planted.py [WORD...]     those whose name has one of the words

Not part of the test suite: it compiles 25 models twice with inductor, some minutes.  The exit status is 1 if one is missed."""
import os
import re
import shutil
import sys
import tempfile
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import Cdbg, Trouble  # noqa: E402

# name, operation, how it is wrong, the model: the line of the operation has "# here"
MODELS = [
    ("chain", "cos", "sin", """
    a = torch.sin(x @ w)
    b = torch.cos(a) * 2  # here
    return (torch.exp(-b) * a).mean(1)"""),
    ("chain-tanh", "tanh", "more", """
    a = torch.exp(-(x @ w).abs())
    d = torch.tanh(a + x)  # here
    return (d * a).sum(1)"""),
    ("chain-neg", "neg", "same", """
    a = torch.sin(x @ w)
    b = torch.neg(a)  # here
    return b.relu() + a.sum(0)"""),
    ("chain-exp", "exp", "nan", """
    a = torch.tanh(x @ w)
    b = torch.exp(a)  # here
    return b.mean(0) + a.sum()"""),
    ("layer-norm block", "tanh", "more", """
    h = F.layer_norm(x, (16,))
    h = torch.tanh(h @ w) * torch.cos(h)  # here
    return x + h @ w"""),
    ("gelu by tanh", "tanh", "more", """
    h = x @ w
    h = F.gelu(h, approximate="tanh")  # here
    return h @ w.t()"""),
    ("attention", "exp", "nan", """
    q, k, v = x @ w, x @ w.t(), x
    p = torch.softmax(q @ k.t() / 4, -1)  # here
    return p @ v"""),
    ("rotary", "neg", "same", """
    c, s = torch.cos(w[0]), torch.sin(w[0])
    half = torch.cat((torch.neg(x[:, 8:]), x[:, :8]), -1)  # here
    return x * c + half * s"""),
    ("rotary-cos", "cos", "sin", """
    c = torch.cos(w[0])  # here
    half = torch.cat((-x[:, 8:], x[:, :8]), -1)
    return x * c + half * torch.sin(w[0])"""),
    ("rms and swiglu", "neg", "same", """
    h = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
    g = 1 / (1 + torch.exp(torch.neg(h @ w)))  # here
    return g * h @ w"""),
    ("recurrent cell", "tanh", "more", """
    h = torch.zeros_like(x)
    h = torch.tanh(x @ w + h @ w.t())  # here
    return h * 2"""),
    ("gated unit", "tanh", "more", """
    a, b = (x @ w).chunk(2, -1)
    y = torch.tanh(a) * torch.sigmoid(b)  # here
    return y.sum(0)"""),
    ("conv", "cos", "sin", """
    y = F.conv2d(x.view(1, 1, 8, 16), w[:3, :3].reshape(1, 1, 3, 3))
    y = torch.cos(y) + 1  # here
    return F.avg_pool2d(y, 2)"""),
    ("batch norm", "neg", "same", """
    y = F.batch_norm(x, w[0], w[1].abs() + 1, training=False)
    y = torch.neg(y)  # here
    return torch.relu(y) @ w"""),
    ("sampling by exp", "exp", "nan", """
    mean, log = (x @ w).chunk(2, -1)
    std = torch.exp(log * 0.1)  # here
    return mean + std * 0.5"""),
    ("loss", "neg", "same", """
    p = torch.log_softmax(x @ w, -1)
    loss = torch.neg(p[:, 0])  # here
    return loss.mean()"""),
    ("positions", "cos", "sin", """
    t = torch.arange(8, dtype=torch.float32)[:, None] * w[0].abs()
    e = torch.cos(t)  # here
    return x + e"""),
    ("embedding", "tanh", "more", """
    i = (x[:, 0].abs() * 3).long() % 16
    e = F.embedding(i, w)
    return torch.tanh(e).mean(0)  # here"""),
    ("where", "exp", "nan", """
    y = x @ w
    z = torch.where(y > 0, y, torch.exp(y) - 1)  # here
    return z.cumsum(0)"""),
    ("normalize", "neg", "same", """
    y = x / x.norm(dim=1, keepdim=True)
    d = (torch.neg(y @ y.t()) + 1).clamp(min=0)  # here
    return d.sqrt().sum()"""),
    ("rotary of pairs", "cos", "sin", """
    c, s = torch.cos(w[0, :8]), torch.sin(w[0, :8])  # here
    a, b = x[:, ::2], x[:, 1::2]
    return torch.cat([a * c - b * s, a * s + b * c], -1)"""),
    ("branch", "cos", "sin", """
    def yes(t):
        return torch.cos(t) * 2  # here
    y = x @ w
    return torch.cond(y.sum() > -1e9, yes, torch.sin, (y,)) - 1"""),
    ("loop", "tanh", "more", """
    def body(i, t):
        return i + 1, torch.tanh(t) + 0.1  # here
    return torch._higher_order_ops.while_loop(lambda i, t: i < 3, body, (torch.tensor(0), x @ w))[1]"""),
    ("checkpoint", "tanh", "more", """
    def layer(t):
        return torch.tanh(t @ w) + t  # here
    return torch.utils.checkpoint.checkpoint(layer, x, use_reentrant=False).exp()"""),
    ("in place", "cos", "sin", """
    i = torch.arange(8) % 3
    o = torch.zeros(3, 16).index_add(0, i, torch.cos(x))  # here
    return torch.neg(o)[i] * x"""),
]

HEAD = '''\
import torch
import torch.nn.functional as F
import torch.utils.checkpoint
from torch._inductor import lowering
aten = torch.ops.aten
was = dict(lowering.lowerings)
WRONG = {
    "sin": lambda old: lowering.lowerings[aten.sin.default],
    "more": lambda old: lambda x: was[aten.add.Tensor](old(x), 1e-3),
    "same": lambda old: lambda x: was[aten.mul.Tensor](x, 1.0),
    "nan": lambda old: lambda x: was[aten.mul.Tensor](old(x), float("nan")),
}
def plant(name, how):
    lowering.lowerings.clear()
    lowering.lowerings.update(was)
    op = getattr(aten, name)
    for key in [k for k in was if k is op or getattr(k, "overloadpacket", None) is op]:
        lowering.lowerings[key] = WRONG[how](was[key])
'''


def program(models):
    text = HEAD
    for i, (name, op, how, body) in enumerate(models):
        text += "\ndef model_%d(x, w):%s\n" % (i, body)
    text += "\nfor function, op, how in [%s]:\n" % ", ".join("(model_%d, %r, %r)" % (i, m[1], m[2]) for i, m in enumerate(models))
    text += """    plant(op, how)
    torch.manual_seed(0)
    x, w = torch.randn(8, 16), torch.randn(16, 16)
    torch.compile(function, backend="inductor", dynamic=False)(x, w)
"""
    return text


def main():
    models = [m for m in MODELS if not sys.argv[1:] or any(w in m[0] for w in sys.argv[1:])]
    text = program(models)
    lines = text.splitlines()
    here, found = [i for i, s in enumerate(lines, 1) if "# here" in s], 0
    folder = tempfile.mkdtemp(prefix="cdbg-planted-")
    with Cdbg(text, limit=900, env={"TORCHINDUCTOR_CACHE_DIR": folder}) as d:
        for i, (name, op, how, body) in enumerate(models):
            d.do("tbreak model_%d" % i)
            began = time.time()
            d.go()
            answer = d.cmd("graph compare")
            told = answer.get("text") or answer.get("error") or ""
            line = re.search(r"line: [^:]*:(\d+)", told)
            right = bool(line) and int(line.group(1)) == here[i] and re.search(r"the first wrong node is '.*' \(aten\.%s\b" % op, told)
            found += bool(right)
            print("%-18s %-5s %-5s %-6s %5.1f s  %s" % (name, op, how, "named" if right else "MISSED", time.time() - began,
                                                       next((s for s in told.splitlines() if "first wrong" in s or "no wrong" in s), told[-120:])[:110]), flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    print("%d of %d" % (found, len(models)))
    return 0 if found == len(models) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Trouble as t:
        sys.exit(str(t))
