#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Nothing of cdbg keeps an object of the program alive while the program runs: reference counts and weak references are
# what they are without it, whatever is armed, stepped, shown or watched.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

SHAPES = script("""
    import functools
    import sys
    import weakref

    class A:
        pass

    def pos(x):
        n = sys.getrefcount(x)
        w = weakref.ref(x); del x
        return n, w() is None

    def kw(*, x):
        n = sys.getrefcount(x)
        w = weakref.ref(x); del x
        return n, w() is None

    def dflt(x, y=1, *, z=2):
        n = sys.getrefcount(x)
        w = weakref.ref(x); del x
        return n, w() is None

    def star(*xs):
        n = sys.getrefcount(xs[0])
        w = weakref.ref(xs[0]); del xs
        return n, w() is None

    def kwstar(**kw):
        n = sys.getrefcount(kw["x"])
        w = weakref.ref(kw["x"]); del kw
        return n, w() is None

    def gen(x):
        n = sys.getrefcount(x)
        w = weakref.ref(x); del x
        yield n, w() is None

    async def coro(x):
        n = sys.getrefcount(x)
        w = weakref.ref(x); del x
        return n, w() is None

    def cell(x):
        n = sys.getrefcount(x)
        w = weakref.ref(x)
        def inner():
            return x
        del inner, x
        return n, w() is None

    class B:
        def m(self):
            n = sys.getrefcount(self)
            w = weakref.ref(self); del self
            return n, w() is None
        def __call__(self):
            n = sys.getrefcount(self)
            w = weakref.ref(self); del self
            return n, w() is None
        def __add__(self, x):
            n = sys.getrefcount(x)
            w = weakref.ref(x); del x
            return n, w() is None
        @staticmethod
        def s(x):
            n = sys.getrefcount(x)
            w = weakref.ref(x); del x
            return n, w() is None

    class N:
        def __init__(self, x):
            n = sys.getrefcount(x)
            w = weakref.ref(x); del x
            results.append((n, w() is None))

    def nested(x):
        return pos(x)

    def ret(x):
        return x

    results = []
    def main():
        b = B()
        a = A()
        s = results.append
        s(pos(A()))
        s(pos(a))
        s(pos(x=A()))
        s(kw(x=A()))
        s(dflt(A()))
        s(dflt(A(), z=3))
        s(star(A()))
        s(star(A(), 1))
        s(kwstar(x=A()))
        s(next(gen(A())))
        try:
            coro(A()).send(None)
        except StopIteration as e:
            s(e.value)
        s(cell(A()))
        s(B().m())
        s(B()())
        s(b + A())
        s(B.s(A()))
        if sys.version_info < (3, 13):      # where it is specialized, an instrumented call is not: it keeps its argument
            N(A())
        s(pos(*[A()]))
        s(pos(*(A(),)))
        s(pos(**{"x": A()}))
        s(nested(A()))
        s(list(map(pos, [A()]))[0])
        s(functools.partial(pos, A())())
        s(max([A()], key=lambda x: 1) is None)
        s((lambda x: pos(x))(A()))
        s(b.s(A()))
        s(pos(ret(A())))
        f = B().m
        s(f())
        s([pos(A()) for i in range(2)][1])
        for i, r in enumerate(results):
            print(i, r)

    class Dies:                             # its finalizer is called by name, too
        def close(self):
            died.append(sys.getrefcount(self))
        __del__ = close

    def use(d):
        died.append(sys.getrefcount(d))

    died = []

    def finalizers():
        Dies().close()
        use(Dies())
        d = Dies()
        d.close()
        use(d)
        del d
        print(died)

    for n in range(3):
        results.clear()
        died.clear()
        main()
        finalizers()
""")
FUNCTIONS = "pos", "kw", "dflt", "star", "kwstar", "gen", "coro", "cell", "nested", "ret", "Dies.close", "use", "N.__init__", "B.m"
LOOKS = ("info locals", "info stack", "backtrace", "print __stack__", "print locals()", "whatis $0", "info frame", "up", "info locals",
         "info stack", "print x", "down")

status, plain, err = bare(SHAPES)
is_(status, 0, "the program runs without cdbg")
want = plain.splitlines()


def same(d, name):
    got = d.out.splitlines()
    wrong = ["%s, without cdbg %s" % p for p in zip(got, want) if p[0] != p[1]]
    ok(got == want, name, lambda: "\n".join(wrong) or d.out + d.err)


def under(name, commands, at_stop=(), go="continue"):
    with Cdbg(SHAPES) as d:
        for line in commands:
            d.do(line)
        while not d.exited:
            for line in at_stop:
                d.cmd(line)
            d.do(go if d.stops[1:] else "continue" if commands else go)
            d.wait()
        same(d, name)


armed = ["break " + f for f in FUNCTIONS]
under("a breakpoint in another function", ["break main"])
under("breakpoints in all functions", armed)
under("breakpoints with a condition that uses the argument", [line + " if not locals()" for line in armed])
under("breakpoints, and all that can be looked at is", armed, LOOKS)
under("displays of the argument", armed + ["display x", "display locals()", "display __stack__"])
under("finish from each stop", armed, go="finish")
under("until from each stop", armed, go="until")
under("stepi from each stop", ["break pos", "break star", "break gen", "break close"], go="stepi 7")
under("step over all lines of all functions", ["break main"], go="step 50")
under("instructions of all functions are stepped", ["break main"], go="stepi 400")
under("next in main", ["break main", "break finalizers"], go="next")
under("catch exception", ["catch exception"])
under("an expression whose value is kept by nobody", armed, ["!mine = x", "!del mine"])

# The data of a stop stays no longer than the stop.
with Cdbg("""
    import gc, sys, weakref

    class A:
        pass

    def f(x):
        w = weakref.ref(x)
        y = 0
        y = 1
        del x
        y = 2
        return w() is None

    def raises():
        x = A()
        seen.append(weakref.ref(x))
        raise ValueError(x)

    def caught():
        try:
            raises()
        except ValueError:
            pass
        return seen[-1]() is None

    def gives():
        x = A()
        seen.append(weakref.ref(x))
        return x

    seen = []
    print(f(A()), flush=True)
    print(caught(), flush=True)
    gives()
    print(seen[-1]() is None, flush=True)
""") as d:
    d.do("break f")
    d.go()
    d.do("watch x")
    d.do("watch y")
    d.do("watch [x]")
    while not d.exited:
        d.go()
        if d.reason == "watch":
            d.do("info locals")
            d.cmd("print x")                # refused where it is deleted
        if d.frame.get("line") == d.line_of("print(f(A())"):
            break
    d.do("catch exception") if not d.exited else None
    d.do("break gives") if not d.exited else None
    while not d.exited:
        d.go("finish" if d.frame["function"] == "gives" and d.reason == "breakpoint" else "continue")
        d.do("info locals") if not d.exited else None
    is_(d.out.splitlines(), ["True"] * 3, "what is watched, raised and returned dies when it does without cdbg")
done()
