#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A graph whose sizes are symbols, saved: the program compiles it with symbols again, which sub-graphs that take sizes need."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_inductor()
PROGRAM = """
    import torch
    from torch._higher_order_ops.while_loop import while_loop
    torch.manual_seed(0)
    torch.set_num_threads(1)
    def halve(n, x):
        return n - 1, x * 0.5 + n
    def looped(x, w, n):
        y = (x @ w).relu()
        y = torch.cond(y.sum() > 10, lambda y: y.sin() + y.shape[0], lambda y: y.cos() - 1, (y,))
        n, z = while_loop(lambda n, x: n > 0, halve, (n, y))
        return z.softmax(-1), z.mean() + n
    def fixed(x, w, n):
        return (x @ w).relu() + n
    w = torch.randn(4, 6)
    for f in (looped, fixed):
        c = torch.compile(f, dynamic=f is looped)
        for size in (3, 5):
            print(size, [t.sum().item() for t in torch.utils._pytree.tree_leaves(c(torch.randn(size, 4), w, torch.tensor(3)))])
    end = 1
"""
with Cdbg(PROGRAM, limit=300) as d:
    file = os.path.join(os.path.dirname(d.path), "saved.py")
    for function in ("looped", "fixed"):
        d.do("break " + function)
        d.go()
        d.go()
        d.do("graph save " + file)
        status, out, err = bare(file, limit=300)
        is_((status, out.count(": right"), out.count("WRONG")), (0, 2 if function == "looped" else 1, 0),
            "%s: the saved program runs" % function)
        with open(file) as f:
            is_("dynamic=True" in f.read(), function == "looped", "%s: it is compiled %s symbols" % (function, "with" if function == "looped" else "without"))
        d.do("delete")
    d.run_out()
    is_(d.out, bare(d.path, limit=300)[1], "the program's output is as without cdbg")
done()
