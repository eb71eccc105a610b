#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Variables that the decompiler keeps in text that is read have the names of what they hold, and the name of an argument that nothing
reads any more."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from generated import *  # noqa: E402,F403

need_torch()
g = Generated(r'''
    import collections, torch
    @torch._dynamo.disable
    def brk(x, *a): print("break", len(a)); return x
    class Dict(dict):
        def __getattr__(self, k): return self[k]
        def __setattr__(self, k, v): self[k] = v
    def dicts(x):
        d = Dict(a=x)
        d.b = x + 1
        brk(x)
        d.c = d.a + d.b
        od = collections.OrderedDict(sorted(d.items(), reverse=True))
        dd = collections.defaultdict(list)
        dd["q"].append(x)
        brk(x)
        return od, dd
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleDict({"in": torch.nn.Linear(2, 2), "out": torch.nn.Linear(2, 2)})
            self.n = 0
        def forward(self, x):
            for layer in self.layers.values():
                x = layer(x)
            self.n += 1
            brk(x)
            return x + self.n
    def within(x, y):
        y = x * 2
        with torch.inference_mode():
            y = y + 1
            brk(y, y)
        return y
    def deleted(x, y):
        z = y * x
        del x
        brk(z)
        x = z + y
        brk(x, x)
        return x, y
    def made(x):
        f = [lambda v, k=x: v + k]
        brk(x)
        x = x * 2
        brk(x, f)
        return f[0](x)
    def tested(x, n):
        a = 0 < n <= 3
        if 0 < (s := x.sum()) < 5 and a:
            x = x + s
        brk(x)
        return a, x
    torch.manual_seed(0)
    x = torch.ones(2, 2)
    c = lambda f: torch.compile(f, backend="eager")
    for i in range(2):
        print(c(dicts)(x))
        print(c(within)(x, x), c(deleted)(x, x), c(made)(x), c(tested)(x, 2))
        print(c(Net())(x))
''')
g.holds("dictionaries, modules, contexts")
g.reads("dictionaries, modules, contexts", 10)
unlike(g.all(), r"\b_t\d", "no variable has only a number")
if torch_version() < (2, 15):       # torch 2.15 sorts the items while it compiles
    like(g.all(), r"    d_items = d\.items\(\)\n(.*\n)*    ___stack1 = sorted\(d_items, reverse=True\)\n", "what a method returns is named after object and method")
like(g.all(), r"    d_item = d\[item_\d\]\n", "an item by a key after the object")
like(g.text("dicts"), r"    dict_class = type\(new_Dict\)\.__mro__\[1\]\n", "the class of a new dictionary like that of another")
like(g.all(), r"(?s)    for k, v in \{'q': \[x\]\}\.items\(\):\n.*    for k, v in (new_OrderedDict|\{item_0: .*\})\.items\(\):\n        \w+(\[k\] = v|\.__setitem__\(d, k, v\))\n",
     "a second loop over items has the variables of the first")
like(g.text("forward"), r"    in_parameters = layers_modules\['in'\]\._parameters\n    out_parameters = ", "a layer named as a keyword gives its name, too")
like(g.text("forward"), r"    x = graph_out_0\[0\]\n    self\.n = 1\n    ___stack0 = brk\(x\)\n    return __resume_at_\w+\(\[\], \[\], ___stack0, self, x\)\n",
     "a value that is used twice has the name of the argument that it replaces")
like(g.text("within"), r"    y = graph_out_0\[\d\]\n    with .*:\n        ___stack\d = brk\(y, y\)\n    return __resume_at_.*, y\)\n", "in a with statement, too")
like(g.text("tested"), r"    s = graph_out_0\[0\]\n    if graph_out_0\[1\]:\n        return __resume_at_\w+\(\[\], \[\], s, x, True, s\)\n",
     "a value on the stack that the source has in a variable has the variable's name alone")
done()
