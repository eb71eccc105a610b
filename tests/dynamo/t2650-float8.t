#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Values in eight bits: their figures, 'catch nan', and how far one may be off."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
KINDS = [k for k in ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu") if torch_has("torch." + k)]
if not KINDS:
    skip_all("this torch has no floats of eight bits")

with Cdbg("""
    import torch
    KINDS = %r
    every = torch.arange(256, dtype=torch.uint8)
    try:
        torch.utils.dlpack.to_dlpack(every.view(getattr(torch, KINDS[0])))
        exported = True
    except Exception:
        exported = False
    def f(b):
        return [b.view(getattr(torch, k)).clone() for k in KINDS]
    c = torch.compile(f, backend="eager")
    for k in KINDS:
        v = every.view(getattr(torch, k)).float()
        some = v[v.isfinite()].double()
        print(k, float(some.min()), float(some.max()), float(some.mean()), int(v.isnan().sum()), int(v.isinf().sum()), exported)
    c(every)
    c(every)
    """ % KINDS) as d:
    d.do("break f")
    d.go()
    expected = [line.split() for line in d.out.splitlines()]
    if expected[0][-1] != "True":
        skip_all("this torch does not export floats of eight bits")
    figures = {r["node"]: [r[k] for k in ("min", "max", "mean", "nan", "inf")] for r in d.rows("graph run")}
    for (kind, *wanted), node in zip(expected, ["clone"] + ["clone_%d" % i for i in range(1, 9)]):
        is_(figures[node], [float(w) for w in wanted[:3]] + [int(w) for w in wanted[3:5]], "%s: each of the 256 values is read" % kind)

for backend in ("eager", "aot_eager"):
    with Cdbg("""
    import torch
    def f(x):
        y = x.to(torch.float8_e5m2)
        return y.view(torch.uint8).add(63).view(torch.float8_e5m2).float() * 2
    c = torch.compile(f, backend=%r)
    for i in range(2):
        c(torch.ones(4) * 2)
    """ % backend) as d:
        d.do("tbreak f")
        d.go()
        d.do("catch nan")
        found = [d.stop["detail"]["node"] for _ in range(9) if not d.exited and d.go().get("reason") == "nan"]
        ok(found and all(n.startswith("view") for n in found), "%s: catch nan stops where a NaN in eight bits is made" % backend, str(found))

# What a backend makes in eight bits may differ by a unit of the last place, not by the value itself.
for off, wrong in ((1.0, False), (1.5, True)):
    with Cdbg("""
    import torch
    def backend(gm, inputs):
        def run(*a):
            return [(v.float() * %r).to(v.dtype) for v in gm(*a)]
        return run
    def f(x):
        return x.sin().to(torch.float8_e4m3fn)
    c = torch.compile(f, backend=backend)
    for i in range(2):
        c(torch.arange(1.0, 9.0))
    """ % off) as d:
        d.do("tbreak f")
        d.go()
        is_([r["ok"] for r in d.rows("graph compare")], [not wrong], "a result in eight bits that is %s is %s" % (
            "%g times eager's" % off, "wrong" if wrong else "right"))
done()
