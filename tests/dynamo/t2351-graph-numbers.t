#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A float that Dynamo gives to the graph as a tensor is one when cdbg runs the graph.  What is computed in float64 leaves autocast off.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import torch
    def scaled(x, scale=1.0):
        return x * scale + 1
    def narrowed(x, w):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return (x @ w).relu()
    x = torch.arange(4.0, requires_grad=True)
    for backend in ("eager", "aot_eager"):
        c = torch.compile(scaled, backend=backend)
        for scale in (0.5, 1.5, 2.5):
            print(c(x, scale).sum().item())
        torch._dynamo.reset()
    c = torch.compile(narrowed, backend="eager")
    for i in range(2):
        print(c(torch.eye(4), torch.eye(4)).dtype)
    """
SHOWN = "7.0\n13.0\n19.0\n" * 2 + "torch.bfloat16\n" * 2


def largest(r):
    return max([row["max"] for row in r.get("rows", ()) if isinstance(row["max"], float)], default=None)


with Cdbg(PROGRAM, limit=300) as d:
    for backend in ("eager", "aot_eager"):
        d.do("break scaled")
        for _ in range(3):
            d.go()
        r = d.cmd("graph run")
        ok(r["ok"] and largest(r) == 8.5, "%s: a float argument that may change: the graph is run with its value" % backend, str(r)[-600:])
        r = d.cmd("graph run with scale=10.0")
        ok(r["ok"] and largest(r) == 31.0, "... and with another one", str(r)[-600:])
        ok(d.cmd("graph memory")["ok"], "... graph memory")
        for line in ("graph compare", "graph compare -backward"):
            r = d.cmd(line)
            ok(r["ok"] and r["first"] is None and r["rows"] and all([row["ok"] for row in r["rows"]]), "... " + line, str(r)[-600:])
        d.do("delete")
    d.do("break narrowed")
    d.go()
    d.go()
    r = d.cmd("graph compare")
    ok(r["ok"] and r["first"] is None and r["rows"], "a graph with autocast is compared", str(r)[-600:])
    d.do("delete")
    d.go()
    is_(d.out, SHOWN, "the program continues as before")
    unlike(d.err, "autocast", "no warning is on its standard error")
done()
