#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Constants without a literal, as folded arithmetic and values that Dynamo has computed: infinity, NaN, complex numbers, frozensets.
The text that is read has their values."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from editing import edited  # noqa: E402

p = python(script(r'''
    import cdbg, types
    inf, nan = float("inf"), float("nan")
    def f():
        return 12345
    def shown(v):
        code = f.__code__.replace(co_consts=tuple(v if c == 12345 else c for c in f.__code__.co_consts))
        text = cdbg.decompile(code)
        made = types.FunctionType(cdbg.recompile(code), {})()
        print(text.rstrip().rpartition("return ")[2] if made is v else "another object: %r" % made)
    for v in inf, -inf, nan, 1 + 2j, -1.5 - 2j, frozenset(), frozenset({"a", "b"}), NotImplemented:
        shown(v)
    for v in (1, inf, nan), complex(-0.0, 1), complex(0, -1), complex(nan, 1), frozenset({inf}):
        shown(v)
'''), limit=60)
lines = p.stdout.splitlines()
is_(lines[:3], ["float('inf')", "float('-inf')", "float('nan')"], "infinity and NaN are calls of float()")
is_(lines[3:5], ["(1+2j)", "(-1.5-2j)"], "a complex number is the sum that gives it")
is_(lines[5:7], ["frozenset()", "frozenset({'a', 'b'})"], "a frozenset of literals is a call")
is_(lines[7:8], ["NotImplemented"], "NotImplemented has its name")
is_(lines[8:9], ["(1, float('inf'), float('nan'))"], "a tuple of such is a tuple")
is_(lines[9:13], ["__const_0"] * 4, "what no such text gives is named")

if not has("torch"):
    skip("constants in text that an editor gets", "no torch")
    done()
    sys.exit()
path = script('''
    import torch
    def f(x):
        y = x + 1
        print("value", float("-inf"))
        return y
    torch.compile(f, backend="eager")(torch.ones(2))
    pass
''')
line = open(path).read().splitlines().index("pass") + 1
said = edited(path, line, "0/0", r"(?s)(# __const_0: float\('-inf'\)\n.*)'value'", r"\1'edited'")
like(said, r"entry 0/0\+1: its Python was edited", "text for an editor says what a name stands for")
done()
