#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Values that wait for what breaks the graph: those that have no name are written where they are used, and the others have names that say
what they hold."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from generated import *  # noqa: E402,F403

need_torch()
g = Generated(r'''
    import collections, copy, torch
    def brk(v=None):
        print("break")
        return v
    def in_arguments(x, f):
        return f(x + 1, brk(1), *[x * 2, brk(2)], k=x - 1, **{"m": brk(3), "n": x})
    def call(*a, **k):
        return a[0] + k["k"]
    def in_displays(x, l):
        return [*l, brk(), *l], {**{"a": 1}, "b": brk()}, (x + 1, *l)
    def merged(x, d):
        new = {**d}
        d["late"] = x + 1
        brk()
        return new, len(d)
    def again(x):
        x = x.clone().requires_grad_()
        y = (x * x).sum()
        y.backward()
        return x.grad * 2
    def contexts(x):
        with torch.no_grad():
            with torch.set_grad_enabled(True):
                y = x + 1
                brk()
                y = y * 2
                brk()
                y = y + 1
        return y
    def iterates(x, l):
        it = iter(l)
        brk(next(it))
        b = next(it)
        brk(b)
        return x * 2, b, list(it)
    class Keeps:
        def __init__(self):
            self.by = collections.defaultdict(list)
    def appends(x, keeps, key):
        keeps.by[key].append(x.sum().item())
        return x * 2
    def calls(x):
        return brk(x + 1) + brk(x * 2) + brk(3)
    def inference(x):
        with torch.inference_mode():
            y = x + 1
            brk()
            y = y * 2
        return y
    def attention(x):
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
            y = x + 1
            brk()
            y = y * 2
        return y
    def copied(x, o):
        new = copy.copy(o)
        new.v = x + 1
        brk()
        return new.v
    @torch.enable_grad()
    def decorated(x):
        y = x + 1
        brk()
        return y * 2
    def without_inputs(x):
        y = torch.zeros(3)
        brk()
        with torch.no_grad():
            brk()
            return x + y
    x = torch.ones(3)
    c = lambda f: torch.compile(f, backend="eager")
    for i in range(2):
        print(c(in_arguments)(x, call))
        print(c(in_displays)(x, [1, 2]))
        d = {"a": 1}; print(c(merged)(x, d), d)
        print(c(again)(x))
        print(c(contexts)(x))
        print(c(iterates)(x, [1, 2, 3]))
        keeps = Keeps(); print(c(appends)(x, keeps, "k"), keeps.by)
        print(c(calls)(x))
        print(c(inference)(x), c(attention)(x), c(decorated)(x), c(copied)(x, Keeps()))
        print(c(without_inputs)(x))
''')
ADVANCES = torch_version() >= (2, 15)       # it advances the iterators that it has read
g.holds("displays, contexts, iterators and calls that wait")
g.reads("these", 20)
like(g.all(), r"return __resume_at_\w+\(\[\], \[\], ___stack0, \(.*\),\n? *\{'k': graph_out_0\[0\]\}, (?:'m', )?___stack\d_?, x\)",
     "a dictionary that waits for a call is written where it is used")
like(g.all(), r"return __resume_at_\w+\(\[\], \[\], ___stack0, \{'a': 1\}, 'b', ___stack3, x, l\)", "and so is one with constants, after a list is changed")
like(g.text("torch_dynamo_resume_in_again_at_17"), r"    ___stack0_ = graph_out_0\[0\]\.backward\(\)\n    return __resume_at_\w+\(\[\], \[\], ___stack0_, ___stack0\)",
     "what is passed as an argument whose name another one has is named after it")
like(g.text("torch_dynamo_resume_in_contexts_at_25"), r"        ___stack2 = brk\(\)\n    return __resume_at_.*___stack2,", "one that nobody reads any more gives its name to a value in a with statement")
like(g.all(), r"    it_0 = torch\._dynamo\.utils\.tuple_iterator_getitem\(it, 0\)\n    next\(it\)\n    return graph_out_0\[0\], b, \[it_0\]\n"
     if ADVANCES else r"return graph_out_0\[0\], b, \[torch\._dynamo\.utils\.tuple_iterator_getitem\(it, 0\)\]\n",
     "a value that is evaluated after what the graph computed is in its place, or named after its iterator where that is advanced then")
like(g.text("appends"), r"    new_list = \[\]\n    ___stack0 = new_list\.append\n", "a list that nothing names is a new list")
like(g.text("copied"), r"    o_class = type\(o\)\n    new = o_class\.__new__\(o_class\)\n", "the class of an object has its name")
like(g.text("inference"), r"    with torch\.inference_mode\(True\):\n        ___stack1 = brk\(\)\n", "inference mode is entered by a with statement")
like(g.text("attention"), r"    with torch\.nn\.attention\._sdpa_kernel_variadic\(.*\):\n        ___stack1 = brk\(\)\n", "and so is a choice of attention")
like(g.text("inner", whole=True), r"def inner\(\*args, \*\*kwargs\):\n    return fn\(\*args\)\n", "a list that is dropped before a call leaves what the call needs in its place")
like(g.text("without_inputs"), r"\(x\):\n    # calls of profiler hooks\n    graph_out_0 = __compiled_fn_\d+\(\)\n(    # .*\n)?    y = graph_out_0\[0\]\n",
     "a graph without inputs waits for profiler hooks, and is called by its name after them")
unlike(g.all(), r"\b_t\d|\btmp_\d", "no variable has a number alone")
done()
