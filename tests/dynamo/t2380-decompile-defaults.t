#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cdbg.decompile() of a function has its defaults as the line of its definition would, and of one that torch.compile() or
functools.wraps() gave it is the user's own function; cdbg.recompile() stays the code that takes the wrapper's place."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

HEAD = r'''
import enum, functools, math, operator, cdbg

class Color(enum.Enum):
    RED = 1
    BLUE = 2

class Plain:
    def __repr__(self): raise SystemExit("code of the program ran")
    __eq__ = __hash__ = __getattribute__ = __repr__

missing = object()
def line(f): return [l for l in cdbg.decompile(f).splitlines() if l.startswith(("def", "async def"))][0]
'''


def lines(text):
    p = python(script(HEAD + text))
    is_((p.returncode, p.stderr[-500:] if p.returncode else ""), (0, ""), "the program runs to its end: " + text.strip().splitlines()[0])
    return p.stdout.splitlines()


DEFINITIONS = [
    "def f(a, b=2, c=-1.5, d=None, e='x', f=\"it's\", g=(1, 'a'), h=b'x', i=...):",
    "def f(a, /, b=1, *args, c, d=2, e, **kw):",
    "def f(a=[], b={}, c=[1, [2]], d={'k': (1, missing)}, e={1}, f=set(), g=frozenset({2})):",
    "def f(*, a=missing, b=Color.RED, c=Plain, d=math.inf, e=operator.add, f=len, g=int, h=[Color.BLUE]):",
    "def f():",
    "def f(a, *, k=-1):",
]
got = lines("\n".join("%s pass\nprint(line(f), line(f.__code__), sep='#')" % x for x in DEFINITIONS))
for want, made in zip(DEFINITIONS, got):
    is_(made.split("#")[0], want, "the definition's line: " + want)
like(got[0].split("#")[1], r"^def f\(a, b, c, d, e, f, g, h, i\):$", "a code object has no defaults")

got = lines('''
def f(a=Plain(), b=1j, *, c=list(range(50))): return a, float
print(cdbg.decompile(f), end="")
exec(compile("async def g(a=1, *, b=3): await a", "x", "exec"))
print(line(g))
print(line(lambda a, b=[missing]: a))
f.__defaults__, f.__kwdefaults__ = (4,), None
print(line(f))
f.__defaults__ = (1, 2, 3, 4, 5)
print(line(f))
class C:
    def m(self, a=3): return a
print(line(C().m))
''')
is_(got[:4], ["# __const_0: an object of type 'Plain'", "# __const_1: an object of type 'list'",
              "def f(a=__const_0, b=1j, *, c=__const_1):", "    return a, float"],
    "objects without name or literal are explained above the definition")
is_(got[-5:], ["async def g(a=1, *, b=3):", "def _lambda_(a, b=[missing]):", "def f(a, b=4, *, c):", "def f(a=4, b=5, *, c):",
               "def m(self, a=3):"], "defaults are those that the function has now")

got = lines('''
def noted(f):
    @functools.wraps(f)
    def inner(*args): return f(*args)
    return inner
@noted
@noted
def f(a, b=3): return a
print(line(f), cdbg.recompile(f).co_name, cdbg.recompile(f).co_freevars)
@noted
def g(a): return a
g.__wrapped__.__wrapped__ = g
print(line(g) in ("def g(a):", "def inner(*args):"))
for bad in 3, Plain, len, None, functools.partial(f), "x", math:
    try: cdbg.decompile(bad)
    except TypeError as e: print(e)
''')
is_(got[0], "def f(a, b=3): inner ('f',)", "of wrappers it is what they wrap, and recompile() is the wrapper's own")
is_(got[1], "True", "functions that wrap each other have an end")
is_(len([x for x in got if x.startswith("decompile() takes a code object or a function, not '")]), 7, "other objects are refused")

need_torch()
got = lines('''
import torch
def f(a, k=3, *, dtype=torch.float32): return a * k
class M(torch.nn.Module):
    def forward(self, x, scale=2): return x * scale
class N(torch.nn.Module):
    @torch.compile(backend="eager")
    def forward(self, x, shift=4): return x + shift
eager, m, n = torch.compile(f, backend="eager"), torch.compile(M(), backend="eager"), N()
for x in eager, torch.compile(torch.no_grad()(f), backend="eager"), torch.compiler.disable(f), m, m.forward, M(), M().__call__, n.forward, n:
    print(line(x))
kept = eager.__code__
eager.__code__ = cdbg.recompile(eager)
print(kept.co_name == eager.__code__.co_name, eager(torch.ones(1)).item(), eager.__kwdefaults__)
''')
f, m = "def f(a, k=3, *, dtype=torch.float32):", "def forward(self, x, scale=2):"
is_(got[:3], [f] * 3, "of compiled, decorated and disabled functions it is the user's")
is_(got[3:7], [m] * 4, "of modules, compiled or not, their forward()")
is_(got[7:9], ["def forward(self, x, shift=4):"] * 2, "of a compiled method, too")
like(got[9], r"^True 3\.0", "recompile() gives code that takes the wrapper's place")
done()
