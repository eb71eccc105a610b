#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The code of a module alone is decompiled as the module's text, and compiled again it makes the same module."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *  # noqa: E402,F403
from cdbgtest import PATIENCE, environment, interpreter  # noqa: E402

FIRST = '''"""What the module says of itself."""
from __future__ import annotations
import sys, os.path as path
from collections import *
from json import dumps as d, loads
x: int = 3
y: list[missing]
def f(a: missing, *b: int) -> list[str]:
    """Of a function."""
    global counter
    counter += 1
    return a, b
counter = 0
class C(dict):
    z: missing = 5
    def method(self, a: C) -> D:
        return a
    @property
    def value(self):
        return counter
a = c = path.k = f(1, 2)
big = {(1, i): [i] for i in range(3)}
try:
    import not_there
except ImportError as e:
    reason = str(e)
else:
    reason = None
if __name__ == '__main__':
    result = 'main'
else:
    result = C().value
del d
for i in range(3):
    if i == 1:
        break
    print(i)
'''
PROGRAM = r'''
import sys
import cdbg
sources = %r
def space(code):
    names = {"__name__": "sample"}
    try:
        exec(code, names)
    except Exception as e:
        names["raised"] = repr(e)
    names.pop("__builtins__")
    def flat(v):
        if isinstance(v, type) and v.__module__ == "sample":
            return v.__qualname__, v.__doc__, sorted(k for k in vars(v)), flat(v.__dict__.get("__annotations__"))
        if hasattr(v, "__code__"):
            return v.__qualname__, v.__doc__, flat(v.__defaults__), flat(getattr(v, "__annotations__", None)), v.__code__.co_firstlineno
        if isinstance(v, (list, tuple)):
            return [flat(i) for i in v]
        if isinstance(v, dict):
            return {k: flat(i) for k, i in v.items()}
        return repr(v)
    return {k: flat(v) for k, v in names.items()}
for name, source in sources.items():
    code = compile(source, name + ".py", "exec", dont_inherit=True)
    try:
        again = cdbg.recompile(code)
    except ValueError as e:
        print(name, "|", e)
        continue
    one, other = space(code), space(again)
    print(name, "|", "same" if list(one.items()) == list(other.items()) else (one, other))
    print(name, "file |", (again.co_name, again.co_filename, again.co_firstlineno) == (code.co_name, code.co_filename, 1))
print("----")
print(cdbg.decompile(compile(sources["first"], "first.py", "exec", dont_inherit=True)))
'''
SOURCES = {
    "first": FIRST,
    "empty": "",
    "docstring": "'''Only that.\n\nAnd more.'''\n",
    "annotations": "x: int = 3\ny: str\nclass C: z: int = x\n" if version() < (3, 14) else "x = 3\n",
    "clauses": "def f(): raise KeyError(1)\nx = []\ntry:\n    f()\nexcept ValueError as e:\n    x.append(e)\nexcept KeyError as e:\n"
               "    x.append(e)\nfinally:\n    x.append(3)\ny = len(x), 'e' in globals()\n",
    "ends": "try:\n    x = int('a')\nexcept ValueError:\n    x = 0\n    try:\n        y = 1\n    except KeyError:\n        y = 2\n    else:\n"
            "        z = 3\nelse:\n    x = 1\n    if x:\n        y = 4\n",
    "loops": "import os\ni = 0\nwhile True:\n    i += 1\n    if i > 3:\n        break\n    for j in range(i):\n        if j > 1:\n            continue\n"
             "        k = i, j\nelse:\n    m = 3\n",
    "walrus": "if (n := len('abc')) > 2:\n    m = [y := i for i in range(n)]\nprint(n, y)\nz = [k for k in range(3) if k != n]\nk = 5\n",
    "globals": "global g, h\ng = 1\nh = g + 1\ndef f():\n    global k\n    k = 3\n    return g, h\nf()\nk += 1\nv = f()\ndel g\n",
    "nested": "def f(a):\n    class C:\n        x = a\n        def m(self, y=[a]): return a, y, self\n    return C\nD = f(3)\n@f\nclass E: pass\n"
              "g = lambda x, *y: (x, y)\nz = D.x, g(1, 2)\n",
    "constants": "x = 3 in {1, 2, 3}, ..., 1j, -0.0, b'a'\ny = frozenset([1])\nz = 'x' in {'x', 'y'}\n",
    "raises": "x = 1\ny = 2\nz = missing\n",
    "with": "import contextlib\nwith contextlib.suppress(KeyError) as a, contextlib.nullcontext(3) as b:\n    {}[1]\nx = b\n",
    "display": "d = {%s}\nx = 3\n" % ", ".join("(%d, x): [%d]" % (i, i) for i in range(300)).replace("x)", "1)"),
    "starred": "a, *b = range(5)\nc = [*b, a]\nd = {**dict(a=a), 'b': b}\nprint(*c, sep='')\n",
}
if version() >= (3, 12):
    SOURCES["generic"] = ("def f[T: int](x: T = 3) -> list[T]: return x, T\nclass C[*Ts](list):\n    def m[U](self): return U, Ts\n"
                          "type X[T] = dict[T, x]\nx = 3 in {1, 2}\ny = f(), C().m()\nz = {1, 2, 3}\n")
folder = os.path.dirname(script("", "empty.py"))
made = subprocess.run([interpreter(), script(PROGRAM % SOURCES, "check.py", folder)], capture_output=True, text=True,
                      timeout=60 * PATIENCE, env=environment())
is_((made.returncode, made.stderr), (0, ""), "all of them are tried")
results, _, text = made.stdout.partition("----\n")
lines = dict(line.split(" | ", 1) for line in results.splitlines() if " | " in line)
for name in SOURCES:
    is_(lines.get(name), "same", "compiled again the module has the same in it: " + name)
    is_(lines.get(name + " file"), "True", "and its file and line: " + name)
wanted = FIRST.replace('"""What the module says of itself."""', "'''What the module says of itself.'''")
for want in ("from __future__ import annotations\n", "from collections import *\n", "x: int = 3\ny: list[missing]\n",
             "def f(a: missing, *b: int) -> list[str]:\n", "    z: missing = 5\n    def method(self, a: C) -> D:\n",
             "a = c = path.k = f(1, 2)\n", "except ImportError as e:\n    reason = str(e)\nelse:\n    reason = None\n",
             "if __name__ == '__main__':\n    result = 'main'\nelse:\n    result = C().value\n",
             "for i in range(3):\n    if i == 1:\n        break\n    print(i)\n"):
    if version() >= (3, 14) and "missing = 5" in want:
        skip("the class's annotations are those of the source", "CPython 3.14 and later evaluate them late unless they are strings")
        continue
    ok(want in text, "as it was written: " + want.splitlines()[0].strip(), text)
done()
