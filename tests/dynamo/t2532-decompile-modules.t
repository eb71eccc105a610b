#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Code that Dynamo generates for modules, training steps and contexts of torch reads as it would be written: variables have names that
say whose parameters they hold, calls whose result nobody reads stand alone, and helpers of Dynamo are what they do."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from generated import *  # noqa: E402,F403

need_torch()
g = Generated('''
    import torch, torch.nn as nn
    torch.manual_seed(0)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])
            self.norm = nn.LayerNorm(3)
        def forward(self, x):
            for l in self.layers:
                x = l(x).relu()
            return self.norm(x)

    class Cache(dict):
        pass

    class Meter:
        def __init__(self): self.values = []
        def update(self, v): self.values.append(v)

    def writes(x, n):
        x.add_(1)
        return n

    def passes(net, meter, x):
        y = net.norm(x)
        print("passes")
        meter.update(y.sum().item())
        print("updated", len(meter.values))
        return y

    def logs(meter, loss):
        print("logs")
        meter.update(loss.item())
        return loss * 2

    def sizes(x, y):
        n = x.size(0)
        print("sizes")
        return x * n + y.reshape(-1)[:1] * y.size(1)

    def first(x, cache):
        k = next(iter(cache))
        cache["more"] = 1
        print("first", k)
        return x + cache[k]

    def contexts(x):
        with torch.enable_grad():
            y = x * 2
            with torch.autocast("cpu", dtype=torch.bfloat16):
                print("contexts", torch.is_grad_enabled(), torch.is_autocast_enabled("cpu"))
        return y + 1

    def counts(x):
        n = x
        def inc():
            nonlocal n
            n = n + 1
            print("n", n)
            return n
        inc()
        return n

    x = torch.ones(3)
    net, meter = Net(), Meter()
    with torch.no_grad():
        for i in range(2):
            print(torch.compile(net, backend="eager")(x).shape)
            print(torch.compile(writes, backend="eager")(x, 4), x)
            print(torch.compile(passes, backend="eager")(net, meter, x), meter.values)
            print(torch.compile(logs, backend="eager")(meter, x.sum()), meter.values)
            print(torch.compile(first, backend="eager")(x, Cache(a=1)))
            print(torch.compile(contexts, backend="eager")(x))
            print(torch.compile(counts, backend="eager")(x))
        for n in 4, 5, 6:
            print(torch.compile(sizes, backend="eager", dynamic=True)(torch.ones(n), torch.ones(2, n)))
''')
g.holds("modules, sizes, containers")
like(g.text("forward"), r"    norm_parameters = self\._modules\['norm'\]\._parameters\n", "parameters have their module's name")
like(g.text("forward"), r"    parameters_0 = \w+\['0'\]\._parameters\n    parameters_1 = \w+\['1'\]\._parameters\n", "or its number")
like(g.text("forward"), r"__compiled_fn_\d+\(parameters_0\['weight'\], parameters_0\['bias'\], x,\n +parameters_1\['weight'\],", "and so where they are used")
like(g.text("writes"), r"\n    __compiled_fn_\d+\(x\)\n(.*\n)*    return n\n", "a graph whose result nobody reads is called, and stored nowhere")
like(g.text("torch_dynamo_resume_in_logs_at_33"), r"    ___stack0 = meter\.update\n    ___stack1 = loss\.item\(\)\n    return __resume_at_\w+\(\[\], \[\], ___stack0, ___stack1,",
     "a value takes the name of an argument that is not needed again, also where another is made in between")
ok(any("x_size_0 = x.size(0)" in read or "y_size_1 = y.size(1)" in read or "x.size(0)," in read for _, read, *_ in g.made), "a size is asked of the tensor", g.all())
like(g.text("first"), r"item_0 = list\(dict\.keys\(cache\)\)\[0\]\n", "a key is taken from the dictionary's keys")
like(g.text("inc"), r"    n = graph_out_0\[0\]\n    ___stack0 = print\('n', graph_out_0\[0\]\)\n", "what a graph computed needs no name of the decompiler's")
like(g.text("contexts"), r"    with torch\.set_grad_enabled\(True\), torch\.amp\.autocast_mode\.autocast\('cpu', (?:.|\n)*?\):\n        ___stack\d = print\('contexts', ",
     "a call within contexts of torch is in a with statement")
unlike(g.text("contexts"), r"__enter__|__exit__|finally", "and nothing else says that")
unlike(g.all(), r"\b_t\d", "no variable is without a name")
done()
