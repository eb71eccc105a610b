#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Smallest, largest and mean element of a graph's values are those of the finite elements; NaN and Inf are counted beside them.
import os
import shutil
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import torch
    nan, inf = float("nan"), float("inf")
    def f(x, e, t):
        root = torch.sqrt(x)                    # NaN, 0, 1, 2, Inf, 3
        none = root * nan
        half = root.to(torch.bfloat16)
        far = torch.log(x.abs() * 0)            # -Inf, once NaN
        wide = e * 1
        whole = (x > 0).to(torch.int32)
        empty = t + 1
        two = torch.complex(root, x)
        return root, none, half, far, wide, whole, empty, two
    x = torch.tensor([-1.0, 0.0, 1.0, 4.0, inf, 9.0])
    e = torch.tensor([[inf], [-2.0], [4.0]]).expand(3, 5)       # each element is there five times
    c = torch.compile(f, backend="eager")
    for i in range(2):
        c(x, e, torch.ones(0, 3))
    """
WANTED = {"root": (0, 3, 1.5, 1, 1), "half": (0, 3, 1.5, 1, 1), "none": (None, None, None, 6, 0), "far": (None, None, None, 1, 5),
          "wide": (-2, 4, 1, 0, 5), "empty": (None,) * 5}


def figures_of(row):
    return tuple(row[k] for k in ("min", "max", "mean", "nan", "inf"))


with Cdbg(PROGRAM, limit=200) as d:
    d.do("break f")
    d.go()
    d.go()
    rows = {r["node"]: r for r in d.do("graph run")["rows"]}
    for name, wanted in WANTED.items():
        is_(figures_of(rows[name]), wanted, "graph run, '%s': %s" % (name, wanted))
    is_(figures_of(rows["whole"])[:2] + figures_of(rows["whole"])[3:], (0, 1, 0, 0), "whole numbers are all finite")
    inside = d.text("graph run").splitlines()
    line = next(s for s in inside if s.split()[:1] == ["none"])
    unlike(line, r"\bnan\b", "a value without a finite element shows none in text, only the count")
    d.do("break node:two")
    d.go()
    pane = {r["node"]: r for r in d.rows("info graph")}
    for name, wanted in WANTED.items():
        is_(tuple(pane[name].get(k) for k in ("min", "max", "mean", "nan", "inf")), wanted, "the pane, '%s': %s" % (name, wanted))
    d.go()
if not shutil.which("g++"):
    skip("what inductor compiles", "no g++: inductor cannot compile")
else:
    with Cdbg("""
        import torch
        from torch._inductor import lowering
        aten = torch.ops.aten
        right = lowering.lowerings[aten.exp.default]
        lowering.lowerings[aten.exp.default] = lambda x: lowering.lowerings[aten.add.Tensor](right(x), 1e-3)
        def f(x, w):
            return torch.exp(x @ w)
        x = torch.tensor([[-1.0], [float("inf")], [0.5], [float("nan")]])
        c = torch.compile(f, backend="inductor", dynamic=False)
        for i in range(2):
            c(x, torch.ones(1, 1))
        """, limit=400) as d:
        d.do("break f")
        d.go()
        d.go()
        like(d.text("graph compare"), r"min -1, max 0\.5, mean -0\.25, NaN 1, Inf 1",
             "graph compare describes the inputs of a wrong node in the same way")
done()
