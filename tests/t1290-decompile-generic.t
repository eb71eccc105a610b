#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Functions, classes and aliases with type parameters (CPython 3.12 and later) are decompiled as the statements they were:
bounds, constraints and defaults are evaluated as late as before, and the code objects within have their names and lines."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *  # noqa: E402,F403
from outcomes import as_written, compared, decompiled  # noqa: E402

if version() < (3, 12):
    skip_all("type parameters are those of CPython 3.12 and later")

WRITTEN = r'''
def functions(a):
    def plain[T](x: T) -> list[T]:
        return x
    def several[T: int, *Ts, **P](x: T, *y: a, z: 'T' = 4, **kw: P.kwargs) -> a:
        return x, y, z, kw
    def constrained[T: (int, str)](x: T = a, y=[], *, z=a.b, w: T = {}) -> None:
        return T, a
    return plain, several, constrained

def decorated(a):
    @a
    @a.b(3)
    async def f[T](x: T = a()):
        return await x
    @a
    class C[T](a.c):
        pass
    return f, C

def classes(a):
    class Plain[T]:
        def method[U: T](self, x: U) -> T:
            return T, U
        y: int = 3
    class Bases[T: a.b, *Ts](list, a.c(), metaclass=a.meta, key=3):
        """Of a class."""
        z = T
        def method(self) -> T:
            return super().method()
        class Inner[V](Plain[T]):
            type Deep[W: (V, T)] = dict[W, V]
    return Plain, Bases

def aliases(a):
    type One[T] = list[T] | a
    type Several[T: int, *Ts, **P] = (T, Ts, P, a)
    type Lambdas[T: lambda: a] = lambda x: T
    return One, Several, Lambdas

def nested(a):
    def outer[T](x: T):
        def inner[U: T](y: U = x) -> T:
            return T, U, a, x
        class C[V](outer[T]):
            pass
        return inner, C
    return outer

def conditional(a):
    if a:
        def f[T: int if a else str](x: T):
            return x
    else:
        class f[T](a):
            pass
    a.b(f)
    return a.c(f, 3)
'''
texts = decompiled(WRITTEN, "all of them are compiled again")
as_written(WRITTEN, texts)

SAMPLE = r'''
class Meta(type):
    def __new__(meta, name, bases, ns, **kw):
        ns.pop("order", None)
        return super().__new__(meta, name, bases, ns)
    def __init__(cls, *a, **kw):
        pass

def functions(a):
    def plain[T](x: T) -> list[T]:
        return x
    def several[T: int, *Ts, **P](x: T, *y: a, z: 'T' = 4, **kw: P) -> a:
        return x, y, z, kw
    def constrained[T: (int, a)](x: T = a, y=[1], *, z=a, w: T = {}) -> None:
        return T, a
    return plain(1), several(1, 2, z=3, q=4), constrained(), plain, several, constrained

def order(a):
    log = []
    def note(x):
        log.append(x)
        return lambda f: f
    @note(1)
    @note(2)
    def f[T: note(9)](x: note(6) = note(3), y: note(7) = note(4), *, z=note(5)) -> note(8):
        return T
    before = list(log)
    f.__type_params__[0].__bound__
    f.__type_params__[0].__bound__
    return before, log

def coroutine(a):
    async def f[T](x: T = a):
        return x, T
    def g[T](x: T = a):
        yield x
        yield T
    c = f(3)
    try:
        c.send(None)
    except StopIteration as e:
        return e.value, list(g()), f, g

def classes(a):
    class Plain[T]:
        def method[U: T](self, x: U) -> T:
            return T, U, x
        @staticmethod
        def static[U](x: U = a):
            return x, U
        y: int = a
        z: T
    class Bases[T: a, *Ts, **P](list, metaclass=Meta, key=3):
        "Of a class."
        type Local[K] = dict[K, T]
        z = T
        def __len__(self):
            return super().__len__() + 1
        class Inner[V](Plain[T]):
            type Deep[W: (V, T)] = dict[W, V]
            W = 4
    return (Plain, Bases, Bases.Inner, Bases.Local, Bases.Inner.Deep, len(Bases()), Plain().method(a), Plain.static(), Plain.static,
            Plain.method)

def own_names(a):
    class C[T]:
        T = 5
        x = a
        def f[a](self, y: a, z: x) -> T:
            return a, T
        type A = x
        type B[x] = (x, T)
    return C, C.f, C().f(1), C.A, C.B

def looked_up(a):
    class C[int]:
        str = list
        def m[T: str](self, x: int, y: str, z: dict) -> a:
            return T
    return C, C.m, C().m(1, 2, 3)

def aliases(a):
    type One[T] = list[T] | None
    type Several[T: int, *Ts, **P] = (T, Ts, P, a)
    type Late[T: a.nothing] = T
    type Lambdas[T: (lambda: a)] = lambda x: T
    return One, Several, Late, Lambdas.__value__(1), Lambdas.__type_params__[0].__bound__(), One[int]

def nested(a):
    def outer[T](x: T):
        def inner[U: T](y: U = x) -> T:
            return T, U, a, x, y
        class C[V](list[T]):
            v = V
        return inner(), inner, C
    return outer(a), outer

def changed(a):
    b = a
    def f[T: b](x=b, y: b = 3):
        return b, x, T
    type X[T: b] = (T, b)
    b = "later"
    return f, f(), X, [f, f][0].__type_params__

def recursive(a):
    def f[T: "f"](x: f_of(a)) -> None:
        return f
    class C[T: C]:
        def m(self) -> C[T]:
            return C
    return f, C, C().m()

def f_of(a):
    return a

def late_name(a):
    def f[T: C](x): return x
    class C: pass
    return f

def stored(a):
    global G, H
    def G[T](x: T): return T
    class H[T]: pass
    type I[T] = T
    return G, H, I

def free(a):
    def f(): return h, K, X
    def h[T](x: T): return f
    class K[T]: g = a
    type X[T] = T
    return f()[2], h, K

def looped(a):
    out = []
    for i in range(2):
        def f[T: i](x=i, y=[]):
            return x, y, T
        class C[T](f_of(list)): n = i
        out += [f, C, f()]
    return out

def conditional(a):
    if a:
        def f[T: int if a else str](x: [i for i in (a, 1)]):
            return x
    else:
        class f[T](f_of(list)):
            x = a
    return f

def conditional_base(a):
    class C[T](list if a else object):
        x = T
    class D[T](list or a, metaclass=type if a else type(list)):
        x = a
    return C, D

def passed(a):
    def take(*x):
        return x
    def f[T](x): return T
    g = take(f, 3)
    def f[T](x=g): return T
    return g, f, f(1)

def odd(a):
    def f[f](f: f = a) -> f: return f
    class C[C](list): x = C
    type X[X] = X
    return f, C, X

def format(a):
    def f[format](x: format, y: a) -> format: return format
    type format[T: a] = T
    return f, format

def raising(a):
    try:
        def f[T](x: a.nothing): return x
    except AttributeError as e:
        return str(e), f_of(a), e.__traceback__.tb_lineno, e.__traceback__.tb_next is None
    return f
'''
if version() >= (3, 13):
    SAMPLE += r'''
def defaults(a):
    def f[T: int = str, *Ts = *tuple[int, a], **P = [a]](x: T): return T, Ts, P
    class C[T = a, *U = *tuple[T]](list): x = T
    type X[T = (int, a), U: (int, str) = T] = T
    return f, f(1), C, X
'''
CHECK = r'''
import sys, types
sys.path.insert(0, %r)
import cdbg
import sample

def flat(v, seen=()):
    if id(v) in seen or len(seen) > 6:
        return "..."
    seen += id(v),
    go = lambda x: flat(x, seen)
    def get(name):
        try:
            return name, go(getattr(v, name))
        except Exception as e:
            return name, repr(e)
    if isinstance(v, (tuple, list)):
        return [go(i) for i in v]
    if isinstance(v, dict):
        return [(k, go(i)) for k, i in v.items()]
    kind = type(v).__name__
    if kind in ("TypeVar", "TypeVarTuple", "ParamSpec"):
        return (kind, v.__name__, v.__module__) + tuple(map(get, ("__bound__", "__constraints__", "__default__")))
    if kind == "TypeAliasType":
        return (kind, v.__name__, v.__module__, get("__type_params__"), get("__value__"))
    if kind == "GenericAlias" or kind == "_GenericAlias":
        return kind, go(v.__origin__), go(v.__args__)
    if isinstance(v, types.FunctionType):
        return (kind, v.__name__, v.__qualname__, v.__doc__, v.__code__.co_firstlineno) + tuple(map(get, (
            "__defaults__", "__kwdefaults__", "__annotations__", "__type_params__")))
    if isinstance(v, type) and v.__module__ == "sample":
        return (kind, v.__qualname__, v.__doc__) + tuple(map(get, ("__type_params__", "__bases__", "__orig_bases__", "__annotations__",
            "__firstlineno__", "__static_attributes__"))) + tuple((k, go(i)) for k, i in sorted(vars(v).items()) if k[0] != "_")
    if kind == "coroutine":
        return kind
    return repr(v)

def run(f, a):
    try:
        return repr(flat(f(a)))
    except Exception as e:
        return repr(e)

def tree(co):
    return (co.co_name, co.co_qualname, co.co_firstlineno, co.co_filename, co.co_freevars,
            "<generic" in co.co_name and [line for _, _, line in co.co_lines() if line][-1],
            [tree(c) for c in co.co_consts if isinstance(c, types.CodeType)])

for name, f in sorted(vars(sample).items()):
    if isinstance(f, types.FunctionType) and f.__module__ == "sample" and name != "f_of":
        try:
            g = types.FunctionType(cdbg.recompile(f.__code__), f.__globals__, f.__name__)
        except ValueError as e:
            print(name, e)
            continue
        if "__const" in cdbg.decompile(f.__code__) and name != "conditional_base":
            print(name, "is made of its code object:", cdbg.decompile(f.__code__).replace("\n", "|"))
            continue
        if tree(f.__code__) != tree(g.__code__) and name != "conditional_base":
            print(name, tree(f.__code__), "|", tree(g.__code__))
            continue
        bad = [a for a in (0, 1, int, "s") if run(f, a) != run(g, a)]
        print(name, [(run(f, a), run(g, a)) for a in bad] if bad else "same")
print("----")
class C:
    def m[T: int](self, x: T): return x
hidden = [c for c in sys._getframe().f_code.co_consts if isinstance(c, types.CodeType) and c.co_name == "C"][0]
hidden = [c for c in hidden.co_consts if isinstance(c, types.CodeType)][0]
try:
    cdbg.recompile(hidden)
except ValueError as e:
    print(e)
'''
text = compared(SAMPLE, CHECK, 20 + (version() >= (3, 13)))
like(text, r"(?m)^cannot recompile '<generic parameters of m>': ", "a hidden function alone is refused")
done()
