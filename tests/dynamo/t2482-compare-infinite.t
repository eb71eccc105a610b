#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# graph compare and the program of graph save tell NaN, Inf and -Inf apart, and compare complex results as numbers.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import torch
    torch.manual_seed(0)
    x = torch.randn(4, 4)
    change = None
    @torch._dynamo.register_backend
    def changed(gm, inputs):
        how = change
        return lambda *args: [how(t) for t in gm(*args)]
    def f(x):
        return x.masked_fill(x > 0, float("-inf")), (x - x) / (x - x), x.abs().log() - float("inf")
    def g(x):
        return torch.polar(x.abs() + 1, x)
    for function, change in ((f, lambda t: t), (f, lambda t: -t), (f, lambda t: torch.where(t.isfinite(), t, torch.nan)),
                             (f, lambda t: torch.where(t.isnan(), torch.inf, t)), (g, lambda t: t * (1 + 1e-7)), (g, lambda t: t * 1.01)):
        torch._dynamo.reset()
        torch.compile(function, backend="changed")(x)
    print("done")
    """

with Cdbg(PROGRAM, limit=300) as d:
    d.do("break f")
    d.do("break g")
    file = os.path.join(os.path.dirname(d.path), "saved.py")
    for what, wrong in (("equal results", []), ("infinities of the other sign", [0, 2]), ("NaN for Inf", [0, 2]), ("Inf for NaN", [1]),
                        ("rounding of complex results", []), ("complex results", [0])):
        d.go()
        r = d.do("graph compare")
        is_([i for i, row in enumerate(r["rows"]) if row["ok"] is False], wrong, "graph compare: %s" % what)
        d.do("graph save %s" % file)
        # it has the program's backend, with `change` as its text sets it first
        text = open(file).read()
        change = {"infinities of the other sign": "-t", "NaN for Inf": "torch.where(t.isfinite(), t, torch.nan)",
                  "Inf for NaN": "torch.where(t.isnan(), torch.inf, t)", "rounding of complex results": "t * (1 + 1e-7)",
                  "complex results": "t * 1.01"}.get(what, "t")
        with open(file, "w") as out:
            out.write(text.replace("change = None", "change = lambda t: %s" % change, 1))
        said = bare(file)
        is_((said[0], [i for i, line in enumerate(said[1].splitlines()) if "WRONG" in line]), (1 if wrong else 0, wrong),
            "... and the saved program")
    d.do("delete")
    d.run_out()
done()
