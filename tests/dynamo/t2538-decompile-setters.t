#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Generated code writes attributes of new objects into their dictionaries: the text that is read says so where the class would do
something else with an assignment."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from generated import *  # noqa: E402,F403

need_torch()
if not torch_has("torch._dynamo.utils.object_setattr_ignore_descriptor"):
    skip("attributes written past their class", "this torch assigns them")
    done()
    sys.exit()
g = Generated(r'''
    import collections, torch  # the text that is read has collections.OrderedDict
    @torch._dynamo.disable
    def brk(*a): print("break", len(a)); return a
    class Frozen:
        def __init__(self, a): object.__setattr__(self, "a", a)
        def __setattr__(self, n, v): raise AttributeError(n)
    class Derived(Frozen): pass
    class Doubles:
        @property
        def a(self): return self.__dict__["a"]
        @a.setter
        def a(self, v): self.__dict__["a"] = v * 2
    class Plain:
        k = 3
        def __init__(self, a): self.a, self.k = a, 4
    class Outer:
        class Frozen(Frozen): pass
    def f(x, p):
        n = Frozen(x + 1)
        m = Outer.Frozen(x + 2)
        o = Derived(x + 4)
        d = Doubles()
        d.a, d.b = x * 3, x
        q = Plain(x)
        brk(n)
        return n.a, m.a, o.a, d.a, d.b, q.a, q.k, p
    def layers(x):
        m = torch.nn.Module()
        m.k = 2
        brk(x)
        return x * m.k
    c = lambda f: torch.compile(f, backend="eager")
    for i in range(2):
        print(c(f)(torch.ones(2), i))
        print(c(layers)(torch.ones(2)))
''')
g.holds("classes with ways of their own to store")
g.reads("classes with ways of their own to store", 2)
text = g.text("f")
like(text, r"    new_Frozen\.__dict__\['a'\] = graph_out_0\[\d\]\n", "an attribute of a class with a __setattr__() is an item of the dictionary")
like(text, r"    new_Derived\.__dict__\['a'\] = graph_out_0\[\d\]\n", "of one that inherits it, too")
like(text, r"    new_Frozen_\.__dict__\['a'\] = graph_out_0\[\d\]\n", "of one within a class, too")
like(text, r"    new_Doubles\.__dict__\['a'\] = graph_out_0\[\d\]\n", "an attribute that is a property is one, too")
like(text, r"    new_Doubles\.b = x\n", "another attribute of its class is assigned")
like(text, r"    new_Plain\.a = x\n    new_Plain\.k = 4\n", "and so are those of other classes")
unlike(g.all(), r"\b_t\d", "no variable has only a number")
unlike(g.all(), r"\{\*\(\)\}", "an empty set is set()")

# of what exists before the call, the guards of the entry know the class
with Cdbg("""
    import torch
    class Plain:
        pass
    class Logs:
        n = 0
        def __setattr__(self, n, v):
            print("set", n)
            self.__dict__[n] = v
    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.n = 0
        def forward(self, x):
            self.n += 1
            return x + self.n
    shared = Logs()
    def given(x, p, d, q):
        p.__dict__["n"] = 3
        object.__setattr__(d["k"][0], "m", x)
        shared.__dict__["z"] = 4
        q.n = 5
        return x + 1
    holder, layer, p, q = {"k": [Logs()]}, Layer(), Logs(), Plain()
    torch.compile(given, backend="eager")(torch.ones(2), p, holder, q)
    torch.compile(layer, backend="eager")(torch.ones(2))
    print(layer.n)
""") as d:
    d.do("tbreak %d" % d.line_of("print(layer.n)"))
    d.go()
    text = d.text("decompile 0/0")
    like(text, r" p\.__dict__\['n'\] = 3\b", "an argument's class is known by its guard")
    like(text, r"\.__dict__\['m'\] = x\b", "that of what is reached from an argument, too")
    like(text, r" shared\.__dict__\['z'\] = 4\b", "that of a global, too")
    like(text, r" q\.n = 5\b", "an attribute of an argument of another class is assigned")
    like(d.text("decompile 1/0"), r" self\.n = 1\b", "and so is that of a module, whose __setattr__() does the same")
    d.run_out()
    is_(d.out.splitlines()[-1:], ["1"], "the program ends as ever")
done()
