#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fifteen kinds of programs whose generated code is replaced by its recompiled version, and read: values are where they are used, and
variables of the compiler's own that stay say what they hold."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from generated import *  # noqa: E402,F403

need_torch()
g = Generated(r'''
    import collections, contextlib, dataclasses, torch
    TOTAL = 0
    def brk(): torch._dynamo.graph_break()
    def loop_break(x):
        for i in range(3):
            x = x + i
            print("i", i)
            if i == 1:
                continue
            x = x * 2
        return x
    class Ctx:
        def __init__(self): self.log = []
        def __enter__(self): self.log.append("in"); return self
        def __exit__(self, *a): self.log.append("out"); return False
    def in_with(x, c):
        with c as k:
            y = x + 1
            print("with", len(k.log))
            y = y * 2
        return y
    def in_try(x, d):
        try:
            y = x + 1
            print("try")
            z = d["missing"]
        except KeyError as e:
            print("missing", e)
            y = x - 1
        finally:
            print("fin")
        return y * 2
    def mutates(x, d, l, s):
        d["k"] = x + 1
        l.append(d["k"])
        s.add(2)
        del d["old"]
        print(len(l))
        l.sort(key=lambda t: -t.sum().item())
        return x
    @dataclasses.dataclass
    class Point:
        a: torch.Tensor
        b: int = 2
        def scaled(self, k): return Point(self.a * k, self.b + k)
    def dataclass_(x):
        p = Point(x + 1)
        q = p.scaled(3)
        print("dc", q.b)
        return q.a + p.b, q
    Pair = collections.namedtuple("Pair", "left right")
    def named(x):
        p = Pair(x + 1, x - 1)
        print("nt", p._fields)
        return p._replace(left=p.right * 2)
    def gen(x):
        def each(n):
            for i in range(n):
                yield x + i
        total = 0
        for v in each(3):
            total = total + v
        print("gen")
        return total, list(each(2))
    def globals_(x):
        global TOTAL
        TOTAL += 1
        y = x + TOTAL
        print("total", TOTAL)
        TOTAL = TOTAL * 2
        return y * TOTAL
    def item(x):
        n = x.sum().item()
        if n > 2 and x.mean().item() < 5:
            return x + n
        elif n < 0:
            return x - n
        return x
    @contextlib.contextmanager
    def managed(name):
        print("enter", name)
        try:
            yield name.upper()
        finally:
            print("leave", name)
    def manager(x):
        with managed("m") as n:
            y = x * 2
            print(n)
        return y
    def keywords(x, *args, scale=2, **kw):
        y = x * scale
        print("kw", args, sorted(kw), scale)
        return y + sum(args) + kw.get("extra", 0)
    def walrus(x):
        if (n := x.numel()) > 2 and (m := x.sum()) > 1:
            return m + n
        return x * n
    def matched(x, cmd):
        match cmd:
            case {"op": "add", "by": by}:
                r = x + by
            case ["mul", k, *rest]:
                r = x * k
            case Point(b=n) if n > 1:
                r = x - n
            case _:
                r = x
        print(f"matched {type(cmd).__name__!r:>8} {len(r):03d}")
        return r
    SEEN = {"gone": 1, "b": 2}
    def replaces(x):
        n = SEEN.pop("gone", 0)
        SEEN["new"] = x + n
        print("replaces")
        return x * 2
    def returns(x, l, d):
        l.append(l[0])
        return (x * 2,), {**d, "k": d["a"]}
    def waits(x, l):
        r = x * 2, print("waits")
        l.clear()
        return isinstance(brk(), int) and len(l), r
    def comps(x, ws):
        ys = [x + i for i in range(3) if i != 1]
        print({w: len(w) for w in ws})
        zs = {k: y * 2 for k, y in zip(ws, ys)}
        print([w.upper() for w in ws if "a" in w])
        return zs, sum(y.sum() for y in ys)
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.l = torch.nn.Linear(3, 3); self.seen = []
            torch.nn.init.ones_(self.l.weight); torch.nn.init.zeros_(self.l.bias)
        def forward(self, x, *, flag=False):
            h = self.l(x)
            self.seen.append(h.shape)
            if flag:
                print("flag", h.shape)
                h = h.relu()
            self.last = h
            return h
        @property
        def n(self): return len(self.seen)
    x = torch.ones(3)
    c = lambda f: torch.compile(f, backend="eager")
    def show(v):
        if isinstance(v, torch.nn.Module): return "module"
        return v
    m = Model()
    for i in range(2):
        with torch.no_grad():
            print(c(loop_break)(x))
            k = Ctx(); print(c(in_with)(x, k), k.log)
            print(c(in_try)(x, {}))
            d, l, s = {"old": 1}, [x * 9], set()
            print(c(mutates)(x, d, l, s), d, l, s)
            print(c(dataclass_)(x))
            print(c(named)(x))
            print(c(gen)(x))
            print(c(globals_)(x), TOTAL)
            print(c(item)(x), c(item)(-x))
            print(c(manager)(x))
            print(c(keywords)(x, 1, 2, scale=3, extra=4))
            print(c(walrus)(x), c(walrus)(x[:2]))
            for cmd in ({"op": "add", "by": 3}, ["mul", 2, 3], Point(x, 3), None):
                print(c(matched)(x, cmd))
            print(c(comps)(x, ["a", "bb"]))
            print(c(replaces)(x), SEEN)
            l = [x]; print(c(returns)(x, l, {"a": x, "b": 2}), l)
            print(c(waits)(x, l), l)
            print(torch.compile(m, backend="eager")(x, flag=True), m.n, m.last)
''')
g.holds("loops, contexts, handlers, containers, classes, generators, matches, comprehensions and modules")
like(g.text("named"), r"= Pair\._make\(\(graph_out_0\[0\], graph_out_0\[1\]\)\)\n    \w+ = print\('nt', Pair\._fields\)\n", "a named tuple is made by its class")
like(g.text("torch_dynamo_resume_in_named_at_54"), r"    return Pair\._make\(\(graph_out_0\[0\], p\.right\)\)\n", "a value that is returned right away has no name")
like(g.text("walrus"), r"    if graph_out_0\[0\]:\n        return __resume_at_", "a test of what a graph computed has no variable")
like(g.text("torch_dynamo_resume_in_item_at_73", 1), r"graph_out_0 = __compiled_fn_\d+\(torch\._as_tensor_fullprec\(___stack0\), x\)\n",
     "an argument that profiler hooks come after is written in its place")
like(g.text("forward"), r"    l_parameters = self\._modules\['l'\]\._parameters\n", "a variable for an attribute has the attribute's name")
like(g.text("mutates"), r"    l_0 = l\[0\]\n(.*\n)*    l\[:\] = \[l_0, graph_out_0\[0\]\]\n", "one for an item of a list has the list's name and a number")
like(g.text("gen"), r"    def each\(n\):\n        for i in range\(n\):\n            yield x \+ i\n", "a generator that is kept has its body")
like(g.text("replaces"), r"    new_SEEN = \{.*\}\n    SEEN\.clear\(\)\n    SEEN\.update\(new_SEEN\)\n", "new items of a dictionary have its name")
like(g.text("returns"), r"    result = \(graph_out_0\[0\],\), \{.*\}\n(    l.*\n)+    return result\n", "what is returned is the result")
like(g.all(), r"\(_.*___stack0,\n? *___stack1.*\):\n    isinstance_ = isinstance\n", "a builtin that waits for its arguments has its own name, where that of the argument is taken")
like(g.all(), r"    new_Point = Point\.__new__\(Point, ", "a new object has the name of its class")
unlike(g.all(), r"\b(\w+) = \1\n", "nothing is assigned to itself")
unlike(g.all(), r"tmp_\d+ = ", "variables of the compiler's own are named")
done()
