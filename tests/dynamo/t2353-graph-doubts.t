#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A fused kernel that rounds another way than its nodes alone, where a sum of nearly nothing is compared with 0, is reported once.
# A node of a stage that returns what only backward reads is not compared with the captured node's value.
# The warnings of a compile that cdbg makes are not on the program's standard error.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
need_inductor()

PROGRAM = """
    import torch
    torch.set_num_threads(1)
    def f(x, m, v):
        h = torch.nn.functional.batch_norm(x, m, v, training=True)
        return h * 2, h.sum() > 0
    torch.manual_seed(0)
    x = torch.randn(5, 16)
    def conjugate(x):
        return (x * x.conj()).real + x.abs()    # inductor warns of complex numbers
    c = torch.compile(f, backend="inductor")
    for i in range(2):
        c(x.relu(), torch.zeros(16), torch.ones(16))
    z = torch.ones(3) * 1j
    c = torch.compile(conjugate, backend="inductor")
    for i in range(2):
        c(z)
    print("done")
    """

with Cdbg(PROGRAM, limit=300) as d:
    d.do("break f")
    d.go()
    d.go()
    r = d.do("graph compare")
    notes = [line for line in r["text"].splitlines() if line.startswith("note: ")]
    ok(r["first"] is None, "no node is named", r["text"])
    is_(len(notes), len(set(notes)), "each note is written once")
    d.do("delete")
    d.do("break conjugate")
    d.go()
    d.go()
    shown = d.err
    ok(d.cmd("graph compare")["ok"], "a graph that inductor warns of is compared")
    d.do("delete")
    d.go()
    is_(d.err, shown, "... and the program's standard error has no warning of it")
    is_(d.out, "done\n", "the program continues as before")
LOSS = """
    import torch
    torch.manual_seed(0)
    x, t = torch.randn(4, 5, requires_grad=True), torch.tensor([1, 2, 0, 3])
    def f(x):
        return torch.nn.functional.cross_entropy(x * 2, t)
    c = torch.compile(f, backend="aot_eager")
    c(x).backward()
    c(x).backward()
    """
with Cdbg(LOSS) as d:
    d.do("break f")
    d.go()
    r = d.do("graph compare")
    is_([row["ok"] for row in r["rows"] if row["node"].startswith("cross_entropy")], [True, True], "a loss is compared, in its stage, too")
    unlike(r["text"], "no result does", "... and none of its results for backward is taken for it")
done()
