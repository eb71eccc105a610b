#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Commands work on the entry that catch compile stops at, or say that it is not in Dynamo's cache yet; entry diff compares what a program
# can see of a result; each place is a line of its file.
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

with Cdbg('''
import torch
@torch.compile(backend="aot_eager")
def f(x):
    return x.sin() * 2
print(f(torch.ones(3)).sum().item())
''') as d:
    d.do("catch compile")
    d.go()
    like(d.do("graph run")["text"], "sin", "at catch compile graph run runs the new entry's graph")
    like(d.do("entry run 0/0")["text"], "1.68", "entry run its code")
    like(d.do("entry diff 0/0")["text"], "equal to eager", "entry diff compares it")
    unlike(d.do("entry check 0/0")["text"], "no longer", "entry check checks its guards")
    for command in "graph compare", "graph recompile":
        like(d.error(command), "just compiled, and Dynamo puts it into its cache when this stop ends: 'stepi'", "%s says that it is not there yet" % command)
    like(d.text("entry disable 0/0"), "'continue' runs 'entry disable 0/0' where the compiled code begins", "entry disable waits until it is there")
    is_(d.go("stepi")["reason"], "breakpoint", "which stepi leads to, too")
    is_(d.rows("info entries")[0]["state"], "disabled", "there it is disabled")
    ok(d.rows("graph compare"), "and graph compare compares it")
    d.go()
    like(d.out, r"^5\.04", "the program prints its result")

with Cdbg('''
import collections, dataclasses
import torch
class Scaled(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return super().__torch_function__(func, types, args, kwargs or {})
Pair = collections.namedtuple("Pair", "a b")
@dataclasses.dataclass
class Box:
    a: object
def eager():
    return not torch.compiler.is_compiling()
def same(x):
    return x + 1, Pair(x, x * 2), 0.0, {"a": 1}
def subclass(x):
    return (x + 1).as_subclass(Scaled) if eager() else x + 1
def grads(x):
    return (x + 1).detach() if eager() else (x + 1)
def strides(x):
    return (x.expand(2, 3) + 1).t().contiguous().t() if eager() else (x.expand(2, 3) + 1).contiguous()
def named(x):
    return Pair(x + 1, 2) if eager() else (x + 1, 2)
def keys(x):
    return {"a": x + 1, "b": 1} if eager() else {"b": 1, "a": x + 1}
def boxed(x):
    return Box(x + 1) if eager() else {"a": x + 1}
def truth(x):
    return x + 1, (True if eager() else 1)
def zero(x):
    return x + 1, (-0.0 if eager() else 0.0)
def shared(x):
    y = x + 1
    return (y, x[:]) if eager() else (y, x.clone())
def given(x):
    y = x + 1
    return (y, x) if eager() else (y, x.clone())
def pair(x):
    y = x + 1
    return (y, y[1:]) if eager() else (y, y[1:].clone())
def dtype(x):
    return (x + 1).double() if eager() else x + 1
x = torch.ones(3, requires_grad=True)
for f in same, subclass, grads, strides, named, keys, boxed, truth, zero, shared, given, pair, dtype:
    torch.compile(f, backend="eager")(x)
last = 1
print(last)
''') as d:
    d.do("tbreak %d" % line_of(d.path, "print(last)"))
    d.go()
    said = {e["function"]: d.do("entry diff %s with x=x" % e["entry"])["text"] for e in d.rows("info entries")}
like(said.get("same", ""), "^equal", "equal results are equal")
for name, words in {"subclass": "Scaled", "grads": "requires_grad", "strides": "strides", "named": "Pair", "keys": "order", "boxed": "Box",
                    "truth": "True", "zero": "-0.0", "shared": "memory of its own, eager of x", "given": "memory of its own, eager of x", "pair": r"result\[1\]: memory of its own, eager of result\[0\]", "dtype": "float64"}.items():
    like(said.get(name, "no entry"), "not equal to eager(.|\n)*" + words, "a result that differs in this is not equal: " + name)

with Cdbg('''
import torch
#
#
def energy(t):
    return (t ** 3).sum()
force = torch.compile(torch.func.grad(energy), backend="eager")
t = torch.ones(3)
force(t)
print(force(t).tolist())
''') as d:
    d.do("break prog.py:%d" % line_of(d.path, "** 3"))
    odd, places = [], 0
    d.go()
    while not d.exited:
        for file, line in re.findall(r"([\w./]+\.py):(\d+)", d.text("info breakpoints") + d.text("backtrace")):
            places += 1
            whole = d.path if os.path.basename(file) == os.path.basename(d.path) else d.frame["file"]
            if os.path.basename(whole) == os.path.basename(file):
                with open(whole) as f:
                    lines = f.read().splitlines()
                if not (0 < int(line) <= len(lines) and lines[int(line) - 1].strip()) or (whole != d.path and int(line) < 20):
                    odd.append((file, line))
        d.go()
    is_(odd, [], "each place that is shown is a line of code in its file")
    ok(places > 2, "places were shown", places)
done()
