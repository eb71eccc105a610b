#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Bytecode as Python source, and that source compiled again: it reads as a person writes it, and does what the code did.
import io
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

SAMPLE = r'''
def operators(a, b):
    c = a + b * 2 - -a ** 2 // (b or 1)
    return (c, not a, a < b, a is b, a in [b], ~a & b | a ^ b << 1, (a if b else c), a and b or c)

def containers(a, b):
    l = [a, b, *range(3), a]
    t = (a, *l, b)
    d = {"a": a, b: 1, **{"z": 2}}
    s = {1, a, *t}
    l[1:3] = [7]
    l[0] += 5
    del l[-1]
    d["k"] = l[::2]
    return l, t, d, sorted(s, key=str)

def strings(a, b):
    return f"{a!r} {b:>5} {{}} {a + b:{b}}", f"it's \"{a}\"", "\0\u20ac\x7f'\\", b"\xff'\n", f'{a:0{b}d}|{a!s:>4}'

def branches(a, b):
    if a and b or a > 3:
        r = "first"
    elif not b:
        r = "second"
    else:
        r = "third"
    if a is None:
        return None
    x = r if a else b
    return r, x

def loops(a, b):
    out = []
    for i, k in enumerate(range(a + 5)):
        if i == 1:
            continue
        if k > 3:
            break
        out.append((i, k))
    else:
        out.append("else")
    n = a
    while n < 6:
        n += 1
        if n == 5:
            continue
        out.append(n)
    while True:
        n -= 1
        if n < 0:
            break
    return out, n

def nested_loops(a, b):
    out = []
    for i in range(3):
        for k in range(3):
            if k == i:
                break
            out.append(i * k)
        else:
            continue
        out.append("x")
    return out

def catches(a, b):
    out = []
    try:
        out.append(10 // a)
        out.append([][b])
    except ZeroDivisionError as e:
        out.append(repr(e))
    except (IndexError, KeyError):
        out.append("index")
    else:
        out.append("else")
    finally:
        out.append("finally")
    return out

def reraises(a, b):
    try:
        try:
            raise ValueError(a)
        except ValueError as e:
            raise KeyError(b) from e
    except KeyError as e:
        return type(e.__cause__).__name__, e.args

class Manager:
    def __init__(self, log): self.log = log
    def __enter__(self): self.log.append("in"); return self
    def __exit__(self, t, v, tb): self.log.append(t and t.__name__); return t is ValueError

def withs(a, b):
    log = []
    with Manager(log) as m:
        log.append(a)
        if a == 2:
            raise ValueError
    with Manager(log), Manager(log) as n:
        log.append(n is m)
    return log

def returns_inside(a, b):
    log = []
    with Manager(log):
        for i in range(3):
            try:
                if i == a:
                    return log, i
            finally:
                log.append("f")
    return log, None

def closures(a, b):
    total = a
    def add(n, m=b, *rest, k=2, **kw):
        nonlocal total
        total += n + m + k + len(rest) + len(kw)
        return total
    f = lambda x, y=1: x + y + total
    return add(1), add(1, 2, 3, k=4, z=5), f(2), total

def comprehensions(a, b):
    return ([i * a for i in range(4) if i], {i: b for i in range(2)}, {i % 2 for i in range(5)}, list(i + j for i in range(2) for j in range(2)))

def unpacks(a, b):
    x, (y, *z) = a, (b, 1, 2)
    x, y = y, x
    *p, q = range(a + 2)
    return x, y, z, p, q

def calls(a, b):
    def f(*args, **kw):
        return args, sorted(kw.items())
    args, kw = (1, 2), {"k": 3}
    return f(a, *args, b, x=1, **kw), f(*args), f(**kw), f(a, b=b), "a-b".split("-", maxsplit=1)

def generator(a, b):
    def g():
        x = yield a
        yield from range(b)
        return x
    it = g()
    out = [next(it)]
    try:
        out.append(it.send(7))
        while True:
            out.append(next(it))
    except StopIteration as e:
        out.append(e.value)
    return out

def order(a, b):
    log = []
    def v(x):
        log.append(x)
        return x
    d = {}
    d[v("k")] = v("v")
    v(1), [v(2), v(3)][v(0)] + v(4)
    r = v(a) < v(b) < v(9)
    return log, r, d

def imports(a, b):
    import os.path as p
    from math import floor, ceil as up
    return p.basename("x/y"), floor(a / 2), up(a / 2)

def asserts(a, b):
    try:
        assert a == 2, "a is %s" % a
    except AssertionError as e:
        return e.args
    global made_here
    made_here = b
    return made_here

def more_comprehensions(a, b):
    pairs = [(i, k) for i in range(a) if i for k in range(i) if k or b]
    named = [y for x in range(a + 3) if (y := x * 2) > b]
    table = {k: [v for v in range(k)] for k in range(3)}
    kept = [lambda: n + a for n in range(2)]
    a = [a for a in pairs][-1:]
    return pairs, named, y, table, [f() for f in kept], a, any(x == b for x in [y for y in (a or [b])])

class Base:
    def method(self, *args): return "base", args

class Derived(Base):
    def method(self, *args): return super().method(*args, 1), super(Derived, self).method.__name__

def supers(a, b):
    out = [Derived().method(a)]
    try:
        import cdbg
    except ImportError:
        return out
    before = Derived.method.__code__
    try:
        Derived.method.__code__ = cdbg.recompile(before)
        out.append(out[0] == Derived().method(a))
    finally:
        Derived.method.__code__ = before
    return out

def coroutines(a, b):
    import asyncio
    log = []
    class Context:
        async def __aenter__(self): log.append("in"); return self
        async def __aexit__(self, *e): log.append(e[0]); return True
    async def ticks(n):
        for i in range(n):
            await asyncio.sleep(0)
            yield i
    async def main():
        async with Context() as c:
            async for t in ticks(a):
                log.append(t)
                if t == b:
                    raise KeyError(t)
        log.append([t async for t in ticks(b)])
        return isinstance(c, Context)
    return asyncio.run(main()), log

def classes(a, b):
    class Local(Base):
        size = a
        def method(self, *args): return self.size + b
    return Local().method(), Local.__name__, Local.__mro__[1].__name__

FUNCTIONS = [f for f in list(globals().values()) if callable(f) and getattr(f, "__code__", None)]
INPUTS = [(0, 0), (1, 2), (2, 5), (5, 1), (3, 3)]
'''

CHECK = r'''
import sys, types
sys.path.insert(0, %r)
import cdbg
from sample import FUNCTIONS, INPUTS

def outcome(f, args):
    try:
        return repr(f(*args))
    except Exception as e:
        return "%%s: %%s" %% (type(e).__name__, e)

refused, wrong = [], []
for f in FUNCTIONS:
    try:
        code = cdbg.recompile(f.__code__)
    except ValueError as e:
        refused.append("%%s: %%s" %% (f.__name__, e))
        continue
    g = types.FunctionType(code, f.__globals__, f.__name__, f.__defaults__, f.__closure__)
    for args in INPUTS:
        if outcome(f, args) != outcome(g, args):
            wrong.append("%%s%%r: %%s, %%s" %% (f.__name__, args, outcome(f, args), outcome(g, args)))
print(len(FUNCTIONS), repr(refused), repr(wrong), sep="\n")
'''


def python(text, folder):
    path = script(text, "check.py", folder)
    made = subprocess.run([interpreter(), path], capture_output=True, text=True, env=environment(), timeout=120 * PATIENCE)
    return made.returncode, made.stdout, made.stderr


from cdbgtest import PATIENCE, environment

folder = os.path.dirname(script(SAMPLE, "sample.py"))
status, out, err = python(CHECK % folder, folder)
is_(status, 0, "functions of every construct go through the decompiler", )
lines = out.splitlines() + ["0", "[]", "[]"]
note(err[-2000:]) if status else None
refused, wrong = eval(lines[1]), eval(lines[2])
ok(int(lines[0]) > 15, "there are functions")
is_(wrong, [], "what is compiled again gives the same results, or raises the same")
is_(refused, [], "all of them are compiled again")

# ---- the text

status, out, err = python(r'''
import cdbg
def f(a, b=2):
    x = a + b
    try:
        for i in range(x):
            if i % 2 and b:
                print(i, end="")
    except ValueError as e:
        print(e)
    return [x, -1.5, None, "it's"]
print(cdbg.decompile(f))
''', folder)
is_(out, """def f(a, b=2):
    x = a + b
    try:
        for i in range(x):
            if i % 2 and b:
                print(i, end='')
    except ValueError as e:
        print(e)
    return [x, -1.5, None, "it's"]

""", "the text is what a person would write")

status, out, err = python(r'''
import cdbg
def f(a, b):
    x = [i * a for i in range(b) if i % 2 if i > a], {k: v for k, v in b}, {y for x in a for y in x}
    return x, any(i == b for i in (a or [b])), [y for z in b if (y := z + 1)]
async def g(a):
    async with a as c:
        async for i in c:
            await i
    return [k async for k in a]
print(cdbg.decompile(f), cdbg.decompile(g).rstrip(), sep="")
''', folder)
is_(out, """def f(a, b):
    x = [i * a for i in range(b) if i % 2 and i > a], {k: v for k, v in b}, {y for x in a
            for y in x}
    return x, any(i == b for i in a or [b]), [y for z in b if (y := z + 1)]
async def g(a):
    async with a as c:
        async for i in c:
            await i
    return [k async for k in a]
""", "comprehensions and async statements are written as such")

status, out, err = python(r'''
import cdbg
code = compile("class A:\n    x = 1\n", "x.py", "exec").co_consts[0]
print(cdbg.decompile(code))
try:
    cdbg.recompile(code)
except ValueError as e:
    print("refused:", e)
try:
    cdbg.decompile(3)
except TypeError as e:
    print("refused:", e)
def odd():
    return 1
odd = odd.__code__.replace(co_varnames=("not a name",), co_nlocals=1)
print(cdbg.decompile(odd))
print(eval(cdbg.recompile(odd)), cdbg.recompile(odd).co_varnames)
def matches(a):
    b = a
    match a:
        case [(int(b) as c) as d]: return b      # two names for one value are not covered
    return None
try:
    cdbg.recompile(matches.__code__)
except ValueError as e:
    print("refused:", e)
''', folder)
is_(status, 0, "code that cannot be written as Python is not an error")
like(out, r"# bytecode, since this is not covered: the code of a class", "it is shown as bytecode, with the reason")
like(out, r"refused: cannot recompile 'A': the code of a class", "and is not compiled again")
like(out, r"refused: decompile\(\) takes a code object or a function, not 'int'", "what has no code is refused")
like(out, r"(?m)^1 \('not a name',\)$", "a name that is not an identifier is kept in the code object")

like(out, r"refused: cannot recompile 'matches': MATCH_SEQUENCE, at line [0-9]+$", "what is not covered is refused with its line")

# ---- large code

status, out, err = python(r'''
import time
import cdbg
pieces = ["    x = a.b(b, %d) + b[x]\n", "    if a > %d:\n        b = b + a.c(x)\n",
          "    for i in a:\n        if b: b = b + i.c(%d)\n",
          "    try:\n        b = a.c(%d)\n    except KeyError as e:\n        print(e)\n"]
text = "def f(a, b, x):\n" + "".join(pieces[i % 4] % i for i in range(6000)) + "    return a\n"
made = {}
exec(text, made)
import dis
print(len(list(dis.get_instructions(made["f"]))))
begun = time.process_time()
text = cdbg.decompile(made["f"])
print(time.process_time() - begun)
print(text.count("\n"), "bytecode" in text)
''', folder)
is_((status, err), (0, ""), "a function of 15,000 lines is decompiled")
words = (out.split() or ["0"]) + ["0"] * 3
ok(int(words[0]) > 100000 and float(words[1]) < 2 * PATIENCE, "more than 100,000 instructions take less than 2 s", words)
ok(int(words[2]) > 14000 and words[3] == "False", "and are Python", words)

# ---- the library: functions of modules are replaced, their own tests run

LIBRARY = r'''
import gc, importlib, io, types, unittest
import cdbg
all_, made, new = 0, 0, []
for name in "textwrap shlex reprlib graphlib heapq fnmatch".split():
    m = importlib.import_module(name)
    try:
        tests = importlib.import_module("test.test_" + name)
    except ImportError:
        continue
    def failing():
        r = unittest.TextTestRunner(stream=io.StringIO()).run(unittest.defaultTestLoader.loadTestsFromModule(tests))
        return {str(t[0]) for t in r.failures + r.errors}
    before = failing()
    for f in gc.get_objects():
        if isinstance(f, types.FunctionType) and f.__code__.co_filename == m.__file__:
            all_ += 1
            try:
                f.__code__ = cdbg.recompile(f.__code__)
                made += 1
            except ValueError:
                pass
    new += sorted(failing() - before)
print(all_, made, new)
'''
status, out, err = python(LIBRARY, folder)
is_(status, 0, "functions of the library are replaced by what was compiled again")
words = out.split(None, 2) if status == 0 else ["0", "0", err[-1500:]]
if int(words[0]):
    is_(words[2].strip(), "[]", "none of their tests fails that did not")
    ok(int(words[1]) / int(words[0]) > 0.97, "more than 97 of 100 are", words)
else:
    skip("none of their tests fails that did not", "this Python came without its tests")

# ---- the command

with Cdbg("""
    def f(n):
        total = 0
        for i in range(n):
            total += i
        return total
    print(f(3))
""") as d:
    d.do("break f")
    d.go()
    rows = d.rows("info python")
    is_(rows[0]["text"], "def f(n):", "info python shows the selected frame's code")
    ok([r["user_line"] for r in rows if "total = 0" in r["text"]] == [2], "each line names the user's line", rows)
    reply = d.do("decompile f")
    like(reply["text"], r"(?m)^=> +total = 0$", "decompile marks the statement of the next instruction")
    is_([r["text"] for r in reply["rows"]], [r["text"] for r in rows], "and has the same rows")
    like(d.error("decompile nothing"), "no function or entry 'nothing'", "a name without code is refused")
done()
