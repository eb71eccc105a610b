#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Classes that functions refer to, and comprehensions with a graph break in them, as generated code makes them: they are read as in the
source."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from generated import *  # noqa: E402,F403

need_torch()
g = Generated(r'''
    import torch
    def brk(v=None):
        print("break")
        return v
    def captured(x):
        class A:
            def __init__(self, v): self.v = v
            def more(self): return A(self.v + 1)
        def make(v): return A(v)
        a = make(x).more()
        brk()
        return a.v, A.__name__
    def later(x):
        y = x + 1
        brk()
        class B:
            def __init__(self, v): self.v = v
            def twice(self): return B(self.v * 2)
        class C(B):
            def twice(self): return super().twice().v + 1
        brk()
        return C(y).twice(), B(y).twice().v
    def with_base(x, base):
        class M(base, metaclass=type):
            k = x.ndim
            def go(self): return self.k + M.k
        brk()
        return x * M().go()
    def taken(x):
        A = x + 1
        def f(): return A
        brk(f())
        def g():
            class A:
                def go(self): return A
            brk()
            return A
        return f(), g().__name__
    def lists(x, l):
        k = x + 1
        return [brk(k + i) for i in l if i > 1], {i: brk(x) for i in l}, {brk(i) for i in l}
    def two(x, l):
        return [[brk(x + i * j) for j in l] for i in l]
    def passed(x):
        return [x + i for i in (brk(), 2, 3)[1:]]
    def decorated(x):
        @torch.no_grad()
        def f(x):
            brk()
            return x * 2
        return f(x) + 1
    x = torch.ones(3)
    c = lambda f: torch.compile(f, backend="eager")
    for i in range(2):
        print(c(captured)(x), c(later)(x), c(with_base)(x, object), c(taken)(x))
        print(c(lists)(x, [1, 2]), c(two)(x, [1, 2]), c(passed)(x), c(decorated)(x))
''')
g.holds("classes and comprehensions")
like(g.text("captured"), r"\):\n    class A:\n        def __init__\(self, v\):\n(.*\n)+        def more\(self\):\n            return A\(self\.v \+ 1\)\n"
     r"    return __resume_at_\w+\(\(cell_of\(A\),\)\)\(\[\], \[\], A, x\)\n", "a class that its methods refer to is a class statement")
like(g.all(), r"\n    nonlocal B\n    class B:\n", "one in a resume function binds the variable of the function around it")
like(g.text("with_base"), r"\):\n    class M\(base, metaclass=type\):\n        k = x\.ndim\n", "one with bases and keywords has them")
like(g.text("decorated"), r"\):\n    @torch\.set_grad_enabled\(False\)\n    def f\(x\):\n        brk\(\)\n        return x \* 2\n    ___stack0 = f\(x\)\n",
     "a function that is decorated and called has its decorator above it")
if sys.version_info < (3, 12):
    like(g.text("lists"), r"    ___stack0 = \[brk\(k \+ i\) for i in new_iter if i > 1\]\n", "a comprehension goes through an iterator")
    like(g.all(), r"    ___stack1 = \{i: brk\(x\) for i in \(l\[0\], l\[1\]\)\}\n", "or through the values that Dynamo has in its place")
    like(g.text("two"), r"    return \[\[brk\(x \+ i \* j\) for j in l\] for i in \(l\[0\], l\[1\]\)\]\n", "one within another, too")
    like(g.text("passed"), r"lambda _name_0: \[x \+ i for i in _name_0\]", "one that is called later is a lambda of what it goes through")
else:
    for name in "through an iterator", "through values", "within another", "called later":
        skip("a comprehension " + name, "CPython 3.12 and later write comprehensions into the function")
unlike(g.all(), r"_create_nested_fn|__build_class__|\b_t\d", "no call makes functions or classes")
done()
