#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Graphs of odd values, modes and sizes: run, stepped and looked at without a change to the program.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

VALUES = '''
    import warnings
    import torch
    import torch._dynamo
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    class Sub(torch.Tensor):
        pass
    def f(x, y):
        a = x * 2
        return a, y
    x = torch.arange(16.0).view(4, 4) - 4
    CASES = [("int", x, 3), ("meta", torch.empty(3, device="meta"), x), ("sub", x.as_subclass(Sub), x),
             ("nested", torch.nested.nested_tensor([x[0], x[1, :2]], layout=torch.jagged), x), ("complex", x + 1j, x),
             ("empty", x[:0], x), ("expanded", x[0].expand(4, 4), x), ("bool", x > 0, x), ("none", x, None),
             ("half", x.half(), x), ("scalar", torch.tensor(2.5), x), ("strided", x.t()[::2], x)]
    for name, a, b in CASES:
        torch._dynamo.reset()
        case = name
        torch.compile(f, backend="eager")(a, b)
    print("done")
    '''
WANT = {"int": ([4, 4], -8.0), "meta": ([3], None), "sub": ([4, 4], -8.0), "nested": (None, None), "complex": ([4, 4], None),
        "empty": ([0, 4], None), "expanded": ([4, 4], -8.0), "bool": ([4, 4], 0), "none": ([4, 4], -8.0), "half": ([4, 4], -8.0),
        "scalar": ([], 5.0), "strided": ([2, 4], -8.0)}
with Cdbg(VALUES, limit=200) as d:
    d.do("break f")
    for name in WANT:
        d.go()
        r = d.cmd("graph run")
        ok(r["ok"] and any(row["op"] == "output" for row in r["rows"]), "graph run: %s" % name, str(r)[:300])
        d.go("stepg")
        d.go("step")
        row = [r for r in d.rows("info graph") if r["state"] == "done"][-1]
        is_((row["shape"], row["min"]), WANT[name], "info graph: %s" % name)
    d.do("delete")
    d.go()
    is_(d.out, "done\n", "the program continues as before")

with Cdbg('''
    import torch
    def f(x):
        return torch._neg_view(x) + 1
    torch.compile(f, backend="eager")(torch.tensor([1.0, 2.0]))
    ''', limit=200) as d:
    d.do("break f")
    d.go()
    d.go("stepg")
    d.go("step")
    row = [r for r in d.rows("info graph") if r["state"] == "done"][-1]
    is_((row["min"], row["max"], row["mean"]), (-2.0, -1.0, -1.5), "info graph: a lazily negated view")
    d.go()

MODES = '''
    import sys
    import torch
    torch.manual_seed(0)
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.up = torch.nn.Linear(4, 4)
            self.bn = torch.nn.BatchNorm1d(4)
        def forward(self, x):
            h = self.bn(self.up(x))
            h = torch.nn.functional.dropout(h, 0.5) + torch.rand(4)
            v = h.view(-1)
            v.add_(1)
            return h.relu_(), v[0]
    net = Net()
    seen = []
    net.up.weight.register_hook(lambda g: seen.append(1))
    c = torch.compile(net, backend="aot_eager" if sys.argv[1] == "aot" else "eager")
    x = torch.randn(6, 4)
    mode = {"autocast": torch.autocast("cpu", torch.bfloat16), "nograd": torch.no_grad(), "inference": torch.inference_mode()}.get(sys.argv[1])
    def go():
        r = c(x)
        if r[0].requires_grad:
            r[0].float().sum().backward()
        return r[0].float().sum().item()
    def state():
        return [t.double().sum().item() for t in net.state_dict().values()], torch.get_rng_state().sum().item(), x.sum().item(), len(seen), torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.is_autocast_enabled("cpu")
    for i in range(2):
        if mode:
            with mode:
                total = go()
        else:
            total = go()
    print(total, state())
    '''


def looked(mode):
    """What the program prints after its graph was run, compared, stepped and looked at; and all answers."""
    with Cdbg(MODES, mode, limit=200) as d:
        d.do("break Net.forward")
        d.go()
        d.go()
        before = d.text("print state()")
        answers = [d.cmd(c) for c in ("graph run", "graph run until nan", "graph memory", "graph compare", "catch nan")]
        same = d.text("print state()") == before
        d.go("stepg")
        for _ in range(4):
            d.go("step")
            d.do("info graph")
        d.do("delete")
        while not d.exited:
            d.go()
        return d.out, answers, same


def plain(mode):
    with Cdbg(MODES, mode, limit=200) as d:
        while not d.exited:
            d.go()
        return d.out


for mode in ("grad", "nograd", "inference", "autocast", "aot"):
    out, answers, same = looked(mode)
    ok(all(a["ok"] for a in answers), "%s: the graph can be run and compared" % mode, str([a.get("error") for a in answers]))
    ok(same, "%s: statistics, random numbers and hooks are as before" % mode)
    is_(out, plain(mode), "%s: the program ends as without" % mode)

with Cdbg("""
    import torch
    def f(x):
        for i in range(2500):
            x = torch.sin(x) * 2
        return x
    c = torch.compile(f, backend="eager")
    c(torch.ones(3))
    c(torch.ones(3))
    print("done")
    """, limit=300) as d:
    d.do("tbreak f")
    d.go()
    is_(len(d.rows("graph run")), 5002, "a graph of 5,000 nodes is run")
    d.do("tbreak node:x_2498")
    is_(d.go()["frame"]["node"], "x_2498", "... and stopped in by name")
    is_([r["state"] for r in d.rows("info graph")].count("done") + [r["state"] for r in d.rows("info graph")].count("freed"), 4997, "... and shown")
    d.go()
    is_(d.out, "done\n", "... and continues")

with Cdbg("""
    import torch
    def broken(gm, inputs):
        calls.append(1)
        if len(calls) > 1:
            raise ValueError("not again")
        return gm.forward
    calls = []
    def f(x):
        return x.sin() + 1
    c = torch.compile(f, backend=broken, dynamic=False)
    c(torch.ones(3))
    c(torch.ones(3))
    torch._dynamo.reset()
    calls.clear()
    def g(x):
        return x.sin() + 1
    e = torch.compile(g, backend="eager")
    e(torch.ones(3))
    torch._dynamo.reset()
    def h(x):
        return (x + 1).sum()
    k = torch.compile(h, backend="eager", dynamic=False)
    k(torch.empty(1 << 15, 1 << 15, device="meta"))
    """, limit=200) as d:
    d.do("break f")
    d.go()
    d.go()
    like(d.error("graph compare"), "not again", "a backend that raises is reported")
    d.do("delete")
    d.do("tbreak g")
    d.go()
    d.do("tbreak h")
    d.go()
    like(d.error("graph run 1/0") or "", "entry '1/0.*' is gone|no graph|no entry", "a graph whose entry is gone is refused")
    is_(d.error("graph run"), None, "a run on meta tensors takes no memory: none is refused for their sizes")
done()
