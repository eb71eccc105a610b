#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The estimate of graph run counts what sub-graphs make, at the sizes of the given values.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from peak import estimate
from peak import taken

need_torch()

PROGRAM = """
    import torch
    from torch._higher_order_ops.while_loop import while_loop
    from torch.utils.checkpoint import checkpoint
    torch.set_num_threads(1)
    torch._dynamo.config.capture_dynamic_output_shape_ops = True
    def larger(x):
        return (x.repeat(20, 1) * 2).sum(0)
    def branches(x):
        return torch.cond(x.sum() > 0, larger, lambda x: x.sum(0), (x,))
    def loop(x):
        return while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, x + larger(x)), (torch.tensor(0), x))
    def kept(x):
        return checkpoint(larger, x, use_reentrant=False)
    def by_values(x, y):
        return y[y > 0].sum() + larger(x)
    def nested(x, y):
        return torch.cond(x.sum() > 0, lambda x: torch.cond(x.sum() > 9, larger, lambda x: x.sum(0), (x,)),
                          lambda x: x.sum(0), (x,)) + y[y > 0].sum()
    large = torch.ones(1).expand(1 << 19, 64)   # 128 MiB, but for the memory
    middle = torch.ones(1).expand(1 << 16, 64)
    y = torch.ones(7)
    for f in (branches, loop, kept):
        c = torch.compile(f, backend="eager", dynamic=True)
        for i in range(2):
            c(torch.ones(1000 + i, 64))
    for f in (by_values, nested):
        c = torch.compile(f, backend="eager", dynamic=True)
        for i in range(2):
            c(torch.ones(1000 + i, 64), y)
    print("done")
    """


with Cdbg(PROGRAM, limit=300) as d:
    for name, what in (("branches", "torch.cond"), ("loop", "while_loop"), ("kept", "checkpoint"),
                       ("by_values", "a graph with sizes that depend on values"), ("nested", "torch.cond in torch.cond, and such sizes")):
        d.do("break " + name)
        d.go()
        d.go()
        told = estimate(d, "graph run with x=large", what)
        ok(5.3 <= told <= 5.8, "... it has all that is alive at once: 40 times the input and the input", told)
        is_(estimate(d, "graph memory with x=large", "... graph memory"), told, "... the same")
        ok(d.cmd("graph run")["ok"], "... the values of the program are run")
        if name in ("branches", "nested"):
            r, took = taken(d, "graph run with x=middle")
            needs = (told * 1e9) / 8 / 2**20
            ok(r["ok"] and abs(took - needs) <= 0.2 * needs, "... an eighth of it takes an eighth", "%.0f MiB, expected %.0f" % (took, needs))
        d.do("delete")
    d.go()
    is_(d.out, "done\n", "the program continues as before")
done()
