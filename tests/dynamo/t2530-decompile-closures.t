#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Functions that generated code makes of code objects and cells are read as definitions and lambdas; text that is compiled has the
very code objects."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from generated import *  # noqa: E402,F403

need_torch()
script('''
    import functools
    OFFSET = 5

    def traced(f):
        @functools.wraps(f)
        def wrapper(*args, **kw):
            return f(*args, **kw) + OFFSET
        return wrapper

    def scaled(by):
        return lambda z: z * by
''', "helpers.py", folder := os.path.dirname(script("", "here.py")))
g = Generated('''
    import functools
    import torch
    import helpers

    def returned(x, k):
        y = x + k
        return lambda z: z * y + k

    def arguments(x, n):
        t = x.sin()
        def add(z, w=2, *rest, key=3, **kw):
            """Adds."""
            return z + t + w + key + n
        return add

    def annotated(x, n):
        def add(z: int, w: "str" = "a") -> torch.Tensor:
            return z * n
        return x + 1, add

    def survives(x, n):
        t = x + 1
        def add(z):
            q = z + t
            if q.sum() > 0:
                return q
            return -q
        print("break")
        return add(x) * n, add

    def traced(f):
        @functools.wraps(f)
        def wrapper(*a, **k):
            return f(*a, **k) + 1
        return wrapper

    def decorated(x):
        @traced
        def g(z):
            return z + x
        print("decorated")
        return g(x), g

    def typed(f):
        @functools.wraps(f)
        def wrapper(a: torch.Tensor, *more: int) -> torch.Tensor:
            return f(a, *more)
        return wrapper

    def renamed(x):
        @typed
        def g(z: torch.Tensor, p: int = 2) -> torch.Tensor:
            return z ** p + x
        print("renamed")
        return g(x), g

    def shared(x):
        @functools.wraps(helpers.scaled)
        def one(z):
            return z + x
        def two(z):
            return z - x
        two = functools.wraps(one)(two)
        print("shared")
        return one(x) + two(x), two

    def named(x):
        def one(z):
            return z + x
        one.__name__ = "other"
        one.__wrapped__ = helpers.scaled
        print("named")
        return one(x), one

    class Base:
        def base(self):
            return 1

    def classes(x, k):
        class Local(Base):
            """Doc."""
            scale = 3
            def __init__(self, v):
                super().__init__()
                self.v = v
            def scaled(self):
                return self.v * self.scale + k + self.base()
        class Other:
            def other(self):
                return x * 2
        print("classes")
        return Local(x).scaled() + Other().other() + len(Local.__doc__), lambda: x * k

    def elsewhere(x):
        @helpers.traced
        def g(z):
            return z + x
        print("elsewhere")
        return g(x), g

    def twice(x, y):
        one, two = helpers.scaled(x + 1), helpers.scaled(y)
        print("twice")
        return one(x), two(y), one

    def leveled(level):
        def decorator(f):
            def wrapper(*a, **k):
                def call(*more):
                    return f(*more, **k) + level
                return call(*a) + sum(f(v, **k) for v in a)
            return wrapper
        return decorator

    def wrapped(x):
        @leveled(2)
        def one(z):
            return z + x
        @leveled(3)
        def two(z):
            return z * x
        print("wrapped")
        return one(x) + two(x), one, two

    def partial(x, n):
        def g(a, b, c=1):
            return a + b * c + n
        p = functools.partial(g, x, c=3)
        print("partial")
        return p(2), g

    def counts(x):
        n = 0
        def count():
            nonlocal n
            n += 1
            return n
        count()
        print("counted", n)
        count()
        return x + n, count

    def defaults(x, n):
        y = x * 2
        def g(a, b=y, *, c=y, d=n):
            return a + b + c + d
        return g

    def several(x):
        fs = [lambda z, i=i: z + i for i in range(3)]
        print("several")
        return x, fs[1]

    def recursive(x):
        def factorial(n):
            return 1 if n < 2 else n * factorial(n - 1)
        print("recursive")
        return x * factorial(4), factorial

    def pending(x, n):
        def keyword(z, scale=2, *, bias=1):
            return z * scale + bias + n
        kept.append(keyword)
        torch._dynamo.graph_break()
        return keyword(x), keyword

    def fills(x, n):
        t = x + 1
        def g(zs):
            out = []
            for z in zs:
                try:
                    out.append(z + t)
                except TypeError:
                    continue
            return out + [a * n for a in zs if a > 1]
        print("fills")
        return g

    def told(result):
        f = result[-1] if isinstance(result, tuple) else result
        cells = [c.cell_contents for c in f.__closure__ or ()]
        print(f.__name__, f.__qualname__, f.__module__, f.__doc__, f.__defaults__, f.__kwdefaults__, f.__annotations__,
              [c for c in cells if not callable(c)])

    x = torch.ones(2)
    kept = []
    for i in range(2):
        for f, args, more in ((pending, (2,), (x,)), (returned, (3,), (x,)), (arguments, (3,), (x,)), (annotated, (3,), (x,)), (survives, (3,), (x,)),
                              (decorated, (), (x,)), (renamed, (), (x,)), (shared, (), (x,)), (named, (), (x,)), (classes, (2,), ()), (elsewhere, (), (x,)), (twice, (x,), (x,)), (wrapped, (), (x,)), (partial, (2,), (x, 1)), (counts, (), ()),
                              (defaults, (2,), (x,)), (several, (), (x,)), (recursive, (), (5,)), (fills, (3,), ([1, 2],))):
            result = torch.compile(f, backend="eager")(x, *args)
            made = result[-1] if isinstance(result, tuple) else result
            print(f.__name__, result[0] if isinstance(result, tuple) else None, made(*more))
            told(result)
''', folder)
g.holds("functions that are made in compiled functions")
unlike(g.text("returned"), r"tmp_|__import_|__closure__", "code that only calls the globals of its compiler is read as generated code, too")
like(g.text("returned"), r"    y = graph_out_0\[0\]\n    return lambda z: z \* y \+ k\n\Z", "a lambda is one, where it is returned")
like(g.text("arguments"), r"def add\(z, w=2, \*rest, key=3, \*\*kw\):\n +.*Adds\..*\n        return z \+ t \+ w \+ key \+ n\n",
     "a function has its arguments, defaults and docstring")
like(g.text("annotated"), r"def add\(z: int, w: 'str' = 'a'\) -> torch\.Tensor:\n        return z \* n\n    return graph_out_0\[0\], add\n",
     "annotations are in the definition, and only there")
like(g.text("survives"), r"    def add\(z\):\n        q = z \+ t\n        if q\.sum\(\) > 0:\n            return q\n        return -q\n    t = graph_out_0\[0\]\n",
     "a body of several statements is decompiled")
like(g.text("decorated"), r"def wrapper\(\*a, \*\*k\):\n        return f\(\*a, \*\*k\) \+ 1\n(.*\n)+    f = g\n", "a cell made for a wrapper is the variable that it has")
unlike(g.text("decorated"), r"make_cell|cell_contents|tmp_\d+ = cell_of", "and nothing is left of the cell")
like(g.text("decorated"), r"        return z \+ x\n    # the attributes that functools\.wraps\(g\) sets of wrapper\n    f = g\n    ___stack0",
     "what functools.wraps() sets is one line, after the function that it is called with")
# up to CPython 3.13 Dynamo makes the wrapper without annotations: functools.wraps() sets those of the other function
own = r"a: torch\.Tensor, \*more: int\) -> torch\.Tensor" if version() >= (3, 14) else r"a, \*more\)"
like(g.text("renamed"), r"def renamed\(x\):\n    def wrapper\(" + own + r":\n        return f\(a, \*more\)\n"
     r"    def g\(z: torch\.Tensor, p: int = 2\) -> torch\.Tensor:\n        return z \*\* p \+ x\n"
     r"    # the attributes that functools\.wraps\(g\) sets of wrapper\n",
     "a wrapper with annotations that are those of another function is a definition, too")
like(g.text("shared"), r"def shared\(x\):\n    def one\(z\):\n        return z \+ x\n    # the attributes that functools\.wraps\(helpers\.scaled\) sets of one\n"
     r"    def two\(z\):\n        return z - x\n    # the attributes that functools\.wraps\(one\) sets of two\n    ___stack0",
     "no variable is left that only held what is set of two functions")
like(g.text("named"), r"    one\.__name__ = 'other'\n    one\.__wrapped__ = helpers\.scaled\n", "a function whose name alone is set has its statement")
like(g.text("classes"), r'def classes\(x, k\):\n    class Local\(Base\):\n        """Doc\."""\n        scale = 3\n        def __init__\(self, v\):\n'
     r"            super\(\).__init__\(\)\n            self\.v = v\n        def scaled\(self\):\n"
     r"            return self\.v \* self\.scale \+ k \+ self\.base\(\)\n    return __resume_at_\w+\(.*\[\], \[\], Local\)",
     "a class is a class statement, whose name is what is passed on")
unlike(g.all(), r"build_class", "and no call that makes one is left")
like(g.text("decorated", whole=True), r"\.__wrapped__ = ", "text that is compiled has each statement")
like(g.text("elsewhere"), r"def wrapper\(\*args, \*\*kw\):\n        # its globals are those of the module 'helpers'\n        return f\(\*args, \*\*kw\) \+ OFFSET\n",
     "a function of another module says whose globals it has")
like(g.text("twice"), r"        return z \* by_2\n(.*\n){2}        return z \* by\n    by_2 = y\n    by = graph_out_0\[0\]\n",
     "where two functions have variables of one name, one of these gets another")
like(g.text("wrapped"), r"f\(\*more, \*\*k\) \+ level\n(.*\n)+.*f_2\(\*more, \*\*k\) \+ level_2\n.* sum\(f_2\(v, \*\*k\) for v in a\)\n(.*\n)+    f_2 = two\n    level_2 = 3\n    f = one\n    level = 2\n",
     "several functions have one variable, and decorators theirs")
unlike(g.text("wrapped"), r"here is|make_cell|cell_contents", "and no cell is left")
like(g.text("partial"), r"    def g\(a, b, c=1\):\n        return a \+ b \* c \+ n\n    \w+ = functools\.partial\(g, x, c=3\)\n", "a function is passed on by its name")
like(g.text("counts"), r"    def count\(\):\n        nonlocal n\n        n \+= 1\n        return n\n", "a variable that it changes is declared")
like(g.text("defaults"), r"def g\(a, b=graph_out_0\[0\], \*, c=graph_out_0\[0\], d=n\):\n", "defaults are values of the code around it")
like(g.text("several"), r"lambda z, i=0: z \+ i, lambda z, i=1: z \+ i", "lambdas are elements of a list")
like(g.text("recursive"), r"    def factorial\(n\):\n        (return 1 if n < 2 else n|if n < 2:\n            return 1\n        return n) \* factorial\(n - 1\)\n", "a function that calls itself is stored under its name")
like(g.text("pending"), r"    def keyword\(z, scale=2, \*, bias=1\):\n        return z \* scale \+ bias \+ n\n    kept\[:\] = \[",
     "a function with keyword-only defaults is a definition where a call waits for it, too")
unlike(g.text("pending"), r"tmp_", "and what is stored and never read is not written")
like(g.text("fills"), r"    return out \+ \[a \* n for a in zs if a > 1\]\n", "a loop that fills a list is a comprehension")
unlike(g.all(), r"_create_nested_fn|__const_", "no code object is left in text that is read")
like(g.text("returned", whole=True), r"_create_nested_fn\n.*\n* +_t\d+ = tmp_\d+\(__const_0, __const_1, '<lambda>'", "text that is compiled makes it of the very code object")
done()
