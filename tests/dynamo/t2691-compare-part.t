#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph compare names the operation, and which of its results, where one of several results of an operation is wrong."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_inductor()
PROGRAM = """
    import torch
    from torch._inductor import lowering
    torch.set_num_threads(1)
    aten, lowerings = torch.ops.aten, lowering.lowerings
    add = lowerings[aten.add.Tensor]
    def plant(op, part):
        old = lowerings[op]
        def wrong(*args, **kwargs):
            made = list(old(*args, **kwargs))
            made[part] = add(made[part], 1)
            return tuple(made)
        lowerings[op] = wrong
    plant(aten.var_mean.correction, 1)
    plant(aten.sort.stable, 0)
    plant(aten.topk.default, 1)
    def moments(x):
        v, m = torch.var_mean(x, dim=1, correction=2)
        return v.sqrt() + m
    def ordered(x):
        v, i = torch.sort(x, dim=1, stable=True)
        return v.cos(), i
    def largest(x):
        v, i = x.topk(3, 1)
        return v * 2, i + 1
    x = torch.randn(4, 16)
    for f in moments, ordered, largest:
        c = torch.compile(f, dynamic=False)
        for i in range(2):
            c(x)
    """
with Cdbg(PROGRAM, limit=400) as d:
    for name, target in (("moments", "aten.var_mean.correction[1]"), ("ordered", "aten.sort.stable[0]"), ("largest", "aten.topk.default[1]")):
        d.do("break " + name)
        d.go()
        d.go()
        reply = d.do("graph compare")
        first = reply["text"].splitlines()[0]
        ok(" (%s), stage kernel" % target in first, "%s: the verdict has the operation and the place of its wrong result" % name, first)
        is_([r["target"] for r in reply["rows"] if r["stage"] == "kernel" and r["ok"] is False], [target], "... as its row has")
        d.do("delete")
done()
