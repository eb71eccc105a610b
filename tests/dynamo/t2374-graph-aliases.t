#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Inputs that share memory share it in float64 and in what a backend runs on, too: graph compare of a graph that writes one of them judges by
# the right values.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import sys
    import torch
    def whole(a, b):
        a.add_(1)
        return a * 2 + b.sum(), a[0]
    def apart(a, b):
        b.mul_(2)
        return a + b
    def flat(a, b):
        a.mul_(1.5)
        return b.sum() / 3
    def values(t, f):
        return {whole: lambda: (t, t[1:]), apart: lambda: (t[:2], t[2:]), flat: lambda: (t[:3], t.t()[2:])}[f]()
    def off(gm, inputs):
        def run(*args):
            return tuple(r + 0.01 if r.is_floating_point() else r for r in gm(*args))
        return run
    for f in (whole, apart, flat):
        c = torch.compile(f, backend=off if sys.argv[1] == "off" else sys.argv[1])
        t = torch.arange(32.).view(4, 8).clone()
        for i in range(2):
            r = c(*values(t, f))
        print(f.__name__, t.sum().item(), torch.utils._pytree.tree_leaves(r)[0].sum().item())
    """
NAMES = ("whole", "apart", "flat")

for backend in ("eager", "aot_eager", "off"):
    with Cdbg(PROGRAM, backend, limit=300) as d:
        for name in NAMES:
            d.do("delete")
            d.do("break " + name)
            d.go()
            d.go()
            r = d.cmd("graph compare")
            if backend == "off":
                ok(r["ok"] and any(row["ok"] is False for row in r["rows"]), "%s: a small error in a result is seen" % name, str(r)[-300:])
                continue
            ok(r["ok"] and r["first"] is None and all(row["ok"] for row in r["rows"]), "%s, %s: nothing is wrong" % (backend, name), str(r)[-300:])
            largest = max([row["reference_diff"] for row in r["rows"]], default=1)
            ok(largest < 1e-4, "%s, %s: float64 has the values of eager" % (backend, name), largest)
        d.do("delete")
        d.go()
        ok(d.out.count("\n") == 3 and (backend == "off" or "whole 560.0 17632.0" in d.out), "%s: the program's results are as without cdbg" % backend, d.out)
done()
