#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""blame finds no fault in right programs: training with Adam, dropout, autocast, views that are written, random numbers, graph breaks, generators, classes,
globals, hooks, symbolic sizes, gradients.  What it runs prints nothing and leaves the program as it was."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
PROGRAM = '''
    import random, torch, torch.nn as nn
    torch.manual_seed(0)
    random.seed(0)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.bn, self.drop = nn.Linear(8, 16), nn.Linear(16, 4), nn.BatchNorm1d(16), nn.Dropout(0.3)
        def forward(self, x):
            return self.b(self.drop(self.bn(self.a(x).relu())))
    net = Net()
    opt = torch.optim.Adam(net.parameters())
    def train(x):
        loss = net(x).square().mean()
        return loss
    def advance():
        opt.step()
        return 0
    def cast(x, w):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return (x @ w).relu() @ w
    def views(x):
        v = x[1:]
        v.mul_(2)
        return x.t(), v.reshape(-1)[::2]
    def drawn(x):
        return x + torch.rand(3) + torch.nn.functional.dropout(x, 0.5) + random.random()
    def broken(x):
        y = x + 1
        print("in the middle")
        torch._dynamo.graph_break()
        return y * 2 + len(str(x.shape))
    def count(n):
        for i in range(n):
            yield i * 2
    def generated(x):
        return sum(x * i for i in count(4)), [v for v in count(3)]
    class Bag:
        total = 0
        def __init__(self):
            self.items, self.by = [], {}
        def add(self, x):
            Bag.total += 0
            self.items.append(x + 1)
            self.last = x * 2
            return x.sum()
    bag = Bag()
    def bagged(x): return bag.add(x)
    def sized(x, y):
        return torch.cat([x, y]).cumsum(0) * x.shape[0], x.new_zeros(y.shape)
    def partly(x):
        with torch.no_grad():
            y = x * 2
        return y + x.detach() * x
    lin, seen = nn.Linear(3, 3), []
    lin.register_forward_hook(lambda m, i, o: seen.append(1))
    def hooked(x): return lin(x)
    def chosen(x): return x[x > 0].sum(), x.nonzero()
    def computed(h): return h.sin() * 3
    def words(x, n=3, *rest, k=2, **kw):
        return x // n + k, [r * 2 for r in rest], {a: b for a, b in kw.items()}
    class Clamp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.clamp(min=0)
        @staticmethod
        def backward(ctx, g):
            return g * (ctx.saved_tensors[0] > 0)
    def own(x): return Clamp.apply(x) * 2
    enc = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    def encoded(x): return enc(x)
    def listed(x): return x.tolist()
    def halved(x): return (x.half() @ x.half().t()).float().softmax(0)
    def nans(x): return x / 0 - x / 0, -x / 0
    def aliased(x): return x, x.view(-1), [x]
    def written(x, out):
        out[0] = x.sum()
        out.add_(1)
        return out
    def sorted_(x): return x.sort(descending=True), x.topk(2)
    def scattered(x, i): return torch.zeros(5).scatter_add(0, i, x), x.index_put((i[:2],), x[:2])
    calls_made = [0]
    @torch.library.custom_op("t2943::tally", mutates_args=())
    def tally(x: torch.Tensor) -> torch.Tensor:
        calls_made[0] += 1
        return x + calls_made[0]
    @tally.register_fake
    def _(x): return torch.empty_like(x)
    def tallied(x): return torch.ops.t2943.tally(x) * 2
    def quiet(x):
        if torch.compiler.is_compiling(): return x + 1
        return 1 + x
    def strings(x): return {"%d items" % len(x): x * 1, "b": (x, None, "c")}

    def stop():
        pass

    CALLS = [("train", "x", (torch.randn(5, 8),)), ("cast", "x w", (torch.randn(4, 4), torch.randn(4, 4, requires_grad=True))),
             ("views", "x", (torch.ones(4, 4),)), ("drawn", "x", (torch.ones(3),)), ("broken", "x", (torch.ones(3),)),
             ("generated", "x", (torch.ones(2),)), ("sized", "x y", (torch.ones(2, 3), torch.ones(4, 3))),
             ("partly", "x", (torch.randn(3, requires_grad=True),)), ("hooked", "x", (torch.randn(2, 3),)), ("chosen", "x", (torch.randn(5),)),
             ("computed", "h", (torch.randn(3, requires_grad=True) * 2,)), ("own", "x", (torch.randn(5, requires_grad=True),)),
             ("encoded", "x", (torch.randn(2, 5, 16),)), ("listed", "x", (torch.ones(3),)),
             ("halved", "x", (torch.randn(4, 4),)), ("nans", "x", (torch.randn(4),)), ("aliased", "x", (torch.randn(4),)),
             ("written", "x out", (torch.randn(4), torch.zeros(2))), ("sorted_", "x", (torch.randn(6),)),
             ("scattered", "x i", (torch.randn(5), torch.tensor([0, 1, 1, 4, 3]))), ("strings", "x", (torch.ones(2),)),
             ("tallied", "x", (torch.ones(2),)), ("quiet", "x", (torch.ones(2),)), ("advance", "", ())]
    for name, names, args in CALLS:
        f = torch.compile(globals()[name], backend="aot_eager", dynamic=name == "sized")
        r = f(*args)
        seen.clear()
        if name == "train":
            r.backward()
    torch.compile(words, backend="aot_eager")(torch.arange(6), 2, 1, torch.ones(1), k=5, z=torch.ones(2))
    given = {name: args for name, _, args in CALLS}
    def sums():
        return [float(v.double().sum()) for v in net.state_dict().values()] + [len(seen), len(bag.items), calls_made[0], random.getstate()[1][0],
                torch.get_rng_state().double().sum().item(), [None if p.grad is None else p.grad.sum().item() for p in net.parameters()]]
    stop()
    print("end", [str(v)[:12] for v in sums()])
'''

with Cdbg(PROGRAM) as d:
    d.do("break stop")
    d.go()
    d.do("up")
    before, calls = d.text("print sums()"), dict((n, w) for n, w, *_ in eval(d.text("print [(n, w) for n, w, _ in CALLS]")))
    for name, words in calls.items():
        given = " ".join("%s=given['%s'][%d]" % (w, name, i) for i, w in enumerate(words.split()))
        for flag in ("", "-backward "):
            r = d.cmd("blame %s%s%s%s" % (flag, name, " with " if given else "", given))
            like(r.get("sentence") or str(r.get("error")), "^no fault: ", "%s%s is right" % (flag, name))
    like(d.text("blame words with x=torch.arange(6) n=2 rest=(1,torch.ones(1)) k=5 kw={'z':torch.ones(2)}"), "^no fault: ", "*args and keywords")
    is_(d.text("print sums()"), before, "the program is as it was")
    d.run_out()
    said = d.out
status, out, _ = bare(PROGRAM)
is_(said, out, "its output, too")
done()
