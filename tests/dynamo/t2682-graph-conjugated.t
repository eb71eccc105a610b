#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Complex tensors that torch conjugates when they are read, as conj() gives them: graph run, graph compare and graph save keep that in their copies.
import os
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import sys, torch
    torch.set_num_threads(1)
    torch.manual_seed(0)
    def parts(z):
        return z.conj().real.sum() + z.conj().imag.sin().sum()
    def shared(z, c):
        return (z + c).imag.abs().sum(), c.imag
    def asks(c):
        return torch.view_as_real(c.conj()).sum()
    z = torch.randn(4, 4, dtype=torch.complex64)
    for f, args in (parts, (z.clone().requires_grad_(),)), (shared, (z, z.conj())), (asks, (z.conj(),)):
        c = torch.compile(f, backend="aot_eager")
        for i in range(2):
            r = c(*args)
            print([round(float(t.sum()), 4) for t in torch.utils._pytree.tree_leaves(r)])
    """


def stages(rows):
    return sorted({r["stage"] for r in rows})


with Cdbg(PROGRAM, limit=200) as d:
    plain = bare(d.path)
    for name in "parts", "shared", "asks":
        d.do("break " + name)
    d.go()
    d.go()
    reply = d.do("graph compare -backward")
    ok("not compared" not in reply["text"], "graph compare judges the stage of conj().real", reply["text"])
    ok("forward" in stages(d.rows("graph compare -backward")), "... node by node", reply["text"])
    d.go()
    d.go()
    rows = {r["node"]: r for r in d.rows("graph run")}
    is_(rows["sum_1"]["max"], 0.0, "graph run has the program's values where an input is another one conjugated")
    is_(stages(d.rows("graph compare")), ["inference", "result"], "... and graph compare judges its stage")
    d.go()
    d.go()
    like(d.text("graph compare"), "no wrong node found", "a graph that needs a conjugated input gets one")
    with tempfile.TemporaryDirectory() as folder:
        saved = os.path.join(folder, "saved.py")
        d.do("graph save " + saved)
        ran = python(saved)
        ok(ran.returncode == 0, "... also in the program that graph save writes", ran.stderr[-500:])
    d.do("delete")
    d.run_out()
    is_((d.out, d.exited["status"]), (plain[1], plain[0]), "the program's results are as without cdbg")
done()
