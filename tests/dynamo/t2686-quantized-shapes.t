#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# info graph, while a graph is stepped, and graph run show shape and type of quantized tensors, and of those without memory.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import torch
    torch.set_num_threads(1)
    asked = []
    class Mode(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            asked.append(getattr(func, "__name__", "?"))
            return func(*args, **(kwargs or {}))
    def f(x):
        q = torch.quantize_per_tensor(x, 0.1, 0, torch.qint8)
        m = torch.empty(3, device="meta")
        return q, m + 1
    x = torch.ones(3, 4)
    c = torch.compile(f, backend="eager")
    for i in range(3):
        q, m = c(x)
        with Mode():
            torch.add(x, 1)
            q, m = c(x)
        print(q.int_repr().sum().item(), tuple(m.shape), asked.count("__get__"))
    """


def shapes(rows, *nodes):
    return [(r["shape"], r["dtype"]) for r in rows if r["node"] in nodes]


with Cdbg(PROGRAM) as d:
    plain = bare(d.path)
    d.do("break f")
    d.go()
    is_(shapes(d.rows("graph run"), "q", "m"), [([3, 4], "qint8"), ([3], "float32")], "graph run has shape and type of a quantized tensor")
    d.do("delete")
    d.do("break node:m")
    d.go()
    is_(shapes(d.rows("info graph"), "q"), [([3, 4], "qint8")], "info graph has them where the graph is stopped")
    d.go("stepg")
    d.go("stepg")
    is_(shapes(d.rows("info graph"), "m"), [([3], "float32")], "... and while it is stepped, of a tensor that is freed by then")
    for turn in range(2):
        d.go()
        d.do("info graph")
    d.do("delete")
    d.run_out()
    is_((d.out, d.exited["status"]), (plain[1], plain[0]), "a mode of the program is not asked for them")
done()
