#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Tensors of other classes in graphs: those with functions of their own are computed with as plain ones, and a NaN is found in what others hold.
import os
import shutil
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import sys
    import torch
    torch.set_num_threads(1)
    class Named(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return super().__torch_function__(func, types, args, kwargs or {})
    class Two(torch.Tensor):
        @staticmethod
        def __new__(cls, a, b):
            return torch.Tensor._make_wrapper_subclass(cls, a.shape, dtype=a.dtype)
        def __init__(self, a, b):
            self.a, self.b = a, b
        def __tensor_flatten__(self):
            return ["a", "b"], None
        @staticmethod
        def __tensor_unflatten__(inner, meta, size, stride):
            return Two(inner["a"], inner["b"])
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            def part(k):
                return torch.utils._pytree.tree_map_only(Two, lambda t: getattr(t, k), (args, kwargs or {}))
            (a, more_a), (b, more_b) = part("a"), part("b")
            ra, rb = func(*a, **more_a), func(*b, **more_b)
            return Two(ra, rb) if isinstance(ra, torch.Tensor) else ra
    torch.manual_seed(0)
    x = torch.linspace(-1, 1, 8)
    if sys.argv[1] == "named":
        x = x.as_subclass(Named).requires_grad_(sys.argv[2] == "eager")      # torch cannot train with these and inductor
    else:
        x = Two(x.abs() + 1, x)
    def f(x):
        y = x * 2
        return torch.log(y) + 1
    c = torch.compile(f, backend=sys.argv[2])
    for i in range(3):
        r = c(x)
    print(type(r).__name__, [round(t, 4) for t in (r.a if hasattr(r, "a") else r).nan_to_num().tolist()], x._version, x.requires_grad, type(x).__name__, x.is_leaf)
    """

for kind, backend in (("named", "eager"), ("named", "inductor"), ("two", "eager"), ("two", "aot_eager")):
    if backend == "inductor" and not shutil.which("g++"):
        skip("named, inductor", "no g++: inductor cannot compile")
        continue
    what = "%s, %s: " % (kind, backend)
    plain = bare(PROGRAM, kind, backend)
    with Cdbg(PROGRAM, kind, backend, limit=300) as d:
        d.do("break f")
        d.go()
        d.go()
        r = d.cmd("graph run until nan")
        is_((r.get("first"), r["rows"][-1]["target"].rpartition(".")[2]), (r["rows"][-1]["node"], "log"), what + "graph run until nan names the node")
        is_(r["rows"][-1]["nan"], 4, "... and counts the elements")
        row = [row for row in d.rows("graph run") if row["target"].endswith("mul")][0]
        is_((row["nan"], row["min"]), (0, -2.0 if kind == "named" else None), "... the node before has none")
        r = d.cmd("graph compare")
        ok(r["ok"] and r["first"] is None and r["rows"], what + "graph compare judges values and finds none wrong", str(r)[:400])
        ok(d.cmd("graph recompile")["ok"], "... and graph recompile works")
        d.do("delete")
        d.run_out()
        is_((d.exited["status"], d.out), plain[:2], what + "the program ends as without cdbg")

with Cdbg(PROGRAM, "two", "eager", limit=300) as d:
    d.do("break f")
    d.go()
    d.do("delete")
    d.do("catch nan")
    d.run_out()
    told = [n["text"] for n in d.notes if "catch nan skips" in n["text"]]
    ok(len(told) == 1 and "'Two'" in told[0] and "graph run until nan" in told[0], "catch nan reports once that it skips a class", str(d.notes))
done()
