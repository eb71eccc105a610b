#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Graphs of values and modes that are hard to copy, run or compile again: each command answers, or refuses with the reason, and the
# program continues as without it.
import json
import os
import re
import shutil
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = '''
    import dataclasses
    import sys
    import tempfile
    import warnings
    warnings.simplefilter("ignore")
    import torch
    import torch.utils._pytree as pytree
    torch.manual_seed(0)
    torch._dynamo.config.capture_scalar_outputs = True
    torch._dynamo.config.capture_dynamic_output_shape_ops = True
    B = sys.argv[1]

    def total(v):
        out = 0.0
        for t in pytree.tree_leaves(v):
            if isinstance(t, torch.Tensor) and t.device.type != "meta":
                t = t.detach()
                t = t.full_tensor() if hasattr(t, "full_tensor") else t.values() if t.layout is torch.jagged else t
                t = t.dequantize() if t.is_quantized else t
                out += t.double().sum().item()
        return round(out, 5)

    class Packed(torch.Tensor):
        """Whole numbers and a scale, as libraries for quantization have them."""
        @staticmethod
        def __new__(cls, q, s):
            return torch.Tensor._make_wrapper_subclass(cls, q.shape, dtype=s.dtype, device=q.device)
        def __init__(self, q, s):
            self.q, self.s = q, s
        def __tensor_flatten__(self):
            return ["q", "s"], None
        @classmethod
        def __tensor_unflatten__(cls, inner, ctx, size, stride):
            return cls(inner["q"], inner["s"])
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            if func in (torch.ops.aten.detach.default, torch.ops.aten.clone.default, torch.ops.aten.alias.default):
                return cls(func(args[0].q), func(args[0].s))
            args, kwargs = pytree.tree_map_only(cls, lambda t: t.q.to(t.s.dtype) * t.s, (args, kwargs or {}))
            return func(*args, **kwargs)
        def __repr__(self):
            return "Packed()"

    @dataclasses.dataclass
    class Conf:
        scale: float
        w: torch.Tensor

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.up, self.bn = torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4)
            self.register_buffer("ema", torch.zeros(4))

    x = torch.arange(16.0).view(4, 4) / 8
    g = (torch.arange(16.0).view(4, 4) / 9).requires_grad_()
    base, net, seen = torch.randn(16), Net(), []
    net.up.weight.register_hook(lambda g: seen.append(1) or g * 2)
    net.up.weight.register_post_accumulate_grad_hook(lambda p: seen.append(2))

    def f_values(x, none, s, n, l, conf, d):
        y = x * n + len(s)
        for k in l:
            y = y + k
        return y * conf.scale + conf.w + d["a"], none, s
    def f_unbacked(x):
        n, m = x.nonzero(), x.sum().to(torch.int64).item()
        torch._check(m >= 0)
        return n.float().sum() + torch.ones(m).sum(), n
    def f_quantized(q, x):
        return torch.quantize_per_tensor(q.dequantize() + x, 0.05, 0, torch.qint8).int_repr()
    def f_requantized(x):
        return torch.quantize_per_tensor(x + 1, 0.05, 0, torch.qint8), x.sum()
    def f_packed(x, w):
        return torch.relu(x @ w) + 1
    def f_csr(s, x):
        return s @ x + 1
    def f_nested(n):
        return torch.sin(n) * 2
    def f_dtensor(a):
        return torch.relu(a @ a) * 2
    def f_meta(x):
        return (x * 2).sum(0)
    def f_aliased(x, y, v):
        x.add_(1)
        z = y * 2
        v.mul_(0.5)
        y[0] = 3
        return z + x.sum(), v, x.view(-1)
    def f_random(x):
        a = torch.nn.functional.dropout(x, 0.5) * torch.rand(4, 4) + torch.randn_like(x)
        return a + torch.bernoulli(torch.full((4, 4), 0.5)), torch.randperm(4)
    def f_mutates(x):
        with torch.no_grad():
            net.ema.mul_(0.9).add_(x.mean(0), alpha=0.1)
            net.up.weight.mul_(0.99)
        return net.bn(net.up(x)).relu_()
    def f_mapped(x, w):
        return torch.vmap(lambda a, b: torch.sin(a) @ b, in_dims=(0, None))(x, w) + 1
    def f_derived(x, w):
        return torch.func.grad(lambda w: ((x @ w).tanh() ** 2).sum())(w) * 2
    def f_inner(x):
        return torch.sin(x) * 2
    def f_modes(x):
        with torch.autocast("cpu", torch.bfloat16):
            y = x @ x
        return y.softmax(-1)
    def f_reset(x):
        return x.sin() + 1
    inner = torch.compile(f_inner, backend=B)
    def f_long(x):
        for i in range(2500):
            x = torch.sin(x) * 2
        return x

    def dtensor():
        import torch.distributed as dist
        from torch.distributed.tensor import DeviceMesh, Replicate, distribute_tensor
        dist.init_process_group("gloo", init_method="file://" + tempfile.mktemp(), rank=0, world_size=1)
        return distribute_tensor(x, DeviceMesh("cpu", [0]), [Replicate()])

    conf = Conf(2.0, torch.ones(4))
    GIVEN = {f_values: lambda: (x, None, "abc", 3, [1, 2.5, x], conf, {"a": x}), f_unbacked: lambda: (torch.tensor([1.0, 0, 2]),),
             f_quantized: lambda: (torch.quantize_per_tensor(x, 0.1, 0, torch.qint8), x), f_requantized: lambda: (x,),
             f_packed: lambda: (x, Packed(torch.arange(16, dtype=torch.int8).view(4, 4), torch.full((4,), 0.25))),
             f_csr: lambda: (torch.eye(4).to_sparse_csr(), x), f_meta: lambda: (torch.empty(4, 4, device="meta"),),
             f_nested: lambda: (torch.nested.nested_tensor([x, x[:2]], layout=torch.jagged),), f_dtensor: dtensor,
             f_aliased: lambda: (base.view(4, 4), base[4:8], base.view(2, 8)[1]), f_random: lambda: (g,), f_mutates: lambda: (g,),
             f_mapped: lambda: (x, x), f_derived: lambda: (x, x), f_modes: lambda: (x,), f_reset: lambda: (x,), f_long: lambda: (x[0],)}

    def state():
        return [total(net.state_dict()), total([p.grad for p in net.parameters()]), total([base, x, g, g.grad]), len(seen),
                torch.get_rng_state().sum().item(), torch.is_grad_enabled(), torch.is_inference_mode_enabled()]
    def ready(name):
        pass
    for f in GIVEN if sys.argv[2] == "all" else [f for f in GIVEN if f.__name__ in sys.argv[2].split(",")]:
        torch._dynamo.reset()
        try:
            args = GIVEN[f]()
            c = torch.compile(f, backend=B)
            for turn in range(2):
                if turn:
                    ready(f.__name__)
                if type(args) is not tuple:
                    args = (args,)
                r = c(*args)
                if f in (f_random, f_mutates):
                    torch.as_tensor(r[0] if type(r) is tuple else r).sum().backward()
            print(f.__name__, total(r), state())
        except Exception as e:
            print(f.__name__, type(e).__name__)
    for turn in range(2):
        if turn:
            ready("f_inner")
        print("mapped", total(torch.vmap(inner)(x)))
    print("done")
    '''
COMMANDS = ("graph show", "graph run", "graph run until nan", "graph memory", "graph compare", "graph compare -backward",
            "graph save %s", "graph reduce %s", "graph code", "info graphs")
# what is refused, by function; every other command of COMMANDS is answered, but reduce: nothing is wrong
REFUSED = {("f_packed", "graph save", ""): "'l_w_' cannot be written: it is of class Packed; 'with NAME=EXPR' gives",
           ("f_dtensor", "graph save", ""): "cannot be written: it is of class DTensor",
           ("f_nested", "graph save", ""): "'l_n_' cannot be written: it is a nested tensor; 'with NAME=EXPR' gives",
           ("f_quantized", "", ""): "no graph of a valid entry was captured: .*'explain' tells why",
           ("f_csr", "", ""): "no graph of a valid entry was captured: .*'explain' tells why",
           ("f_inner", "", "aot_eager"): "no value for 'x'",
           ("f_reset", "", ""): "is gone from Dynamo's cache, after torch._dynamo.reset",
           ("f_inner", "graph compare", "eager"): r"vmap\(\) maps over input 'l_x_', .*'with NAME=EXPR' gives",
           ("f_inner", "graph reduce", "eager"): r"vmap\(\) maps over input 'l_x_', .*'with NAME=EXPR' gives",
           ("f_inner", "graph save", ""): "cannot be written: it is a tensor of torch.func"}


def refusal(name, command, backend):
    found = [text for (n, c, b), text in REFUSED.items() if n == name and command.startswith(c) and b in ("", backend)]
    return found[0] if found else None


def examine(d, name, backend, folder):
    """All commands at a stop; what is not as it should be."""
    odd, before = [], d.text("print state()")
    for command in COMMANDS:
        words = command % os.path.join(folder, name + ".py") if "%s" in command else command
        r = d.cmd(words)
        wanted = refusal(name, command, backend)
        if r["ok"]:
            if name == "f_derived" and command == "graph run":
                odd += ["the derivative is 0"] if r["rows"][-2]["max"] == 0 else []
            if name == "f_random" and command == "graph run":
                same = [[row[k] for k in ("node", "min", "max", "mean")] for row in r["rows"]]
                again = [[row[k] for k in ("node", "min", "max", "mean")] for row in d.rows("graph run")]
                odd += ["two runs draw other numbers"] if same != again else []
        elif command.startswith("graph reduce") and "there is nothing to reduce" in r["error"]:
            pass
        elif not wanted or not re.search(wanted, r["error"]):
            odd.append("%s: %s" % (command, r["error"]))
        if "Traceback" in json.dumps(r) or "While executing" in (r.get("error") or ""):
            odd.append("a trace of Python in the answer to %s" % command)
        if command.startswith("graph compare") and r["ok"] and r["first"]:
            odd.append("%s is called wrong" % r["first"])
    if d.text("print state()") != before:
        odd.append("state: %s, before: %s" % (d.text("print state()"), before))
    return odd


folder = tempfile.mkdtemp(prefix="cdbg-t2233-")
for backend in ("eager", "aot_eager"):
    plain = bare(PROGRAM, backend, "all", limit=300)[1]
    with Cdbg(PROGRAM, backend, "all", limit=300) as d:
        d.do("break ready")
        d.go()
        while not d.exited:
            name = d.text("print name").split()[-1].strip("'")
            d.do("tbreak %s" % name)
            d.go()
            if name == "f_reset":
                d.do("!torch._dynamo.reset()")
            if name != "f_long":
                is_(examine(d, name, backend, folder), [], "%s, %s: each command answers, or tells why not" % (backend, name))
            d.do("catch nan")
            stop = d.go("stepg")
            for _ in range(4):
                if stop["reason"] == "breakpoint" or d.exited:
                    break
                if stop["frame"].get("node"):
                    d.do("info graph")
                stop = d.go("next")
            if not d.exited:
                d.do("delete")
                d.do("break ready")
                d.go()
        is_(d.out, plain, "%s: the program's results are as without" % backend)
        like(plain, r"done$", "... to its end")
shutil.rmtree(folder, ignore_errors=True)
done()
