#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# graph run prepares a graph once; each run is as the first was, and what was prepared goes with the entry.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import gc
    import torch
    def f(x, w):
        w.mul_(2)                   # written in place
        a = torch.sin(x) @ w
        b = torch.cond(a.sum() > 0, lambda t: t + 1, lambda t: t - 1, (a,))
        return b, torch.empty(0), a > 0, (a * 10).int(), b.half()
    def prepared():
        gc.collect()
        return sum(type(o).__name__ == "Program" for o in gc.get_objects())
    c = torch.compile(f, backend="eager")
    torch.manual_seed(0)
    x, w = torch.randn(4, 4), torch.randn(4, 4)
    with torch.no_grad():
        for i in range(3):
            c(x, w)
        def g():
            return prepared()
        torch._dynamo.reset()
        del c
        g()
    print("done")
    """


def values(rows):
    return [{k: v for k, v in r.items() if k != "seconds"} for r in rows]


with Cdbg(PROGRAM, limit=200) as d:
    d.do("break f")
    d.go()
    d.go()
    before = d.text("print w.sum().item()")
    first = d.rows("graph run")
    again = d.rows("graph run")
    is_(values(again), values(first), "the second run shows what the first showed")
    is_(d.text("print w.sum().item()"), before, "... and the input that the graph writes is as before")
    ok(any("." in r["node"] for r in again), "... with the nodes of the branch", str([r["node"] for r in again]))
    ok(all(r["seconds"] is None or r["seconds"] * 1e9 == round(r["seconds"] * 1e9) or
           abs(r["seconds"] * 1e9 - round(r["seconds"] * 1e9)) < 1e-3 for r in again), "times are whole nanoseconds")
    by = {r["dtype"]: r for r in again}
    is_([by["bool"]["shape"], by["int32"]["shape"], by["float16"]["bytes"]], [[4, 4], [4, 4], 32], "shapes and bytes of each kind")
    bare = d.rows("graph run -t")
    same = ("node", "op", "shape", "dtype", "bytes")
    is_([[r[k] for k in same] for r in bare], [[r[k] for k in same] for r in first], "without figures: the same rows")
    ok(all(r["min"] is None and r["nan"] is None for r in bare), "... and no figures")
    d.do("!x.fill_(float('nan'))")
    r = d.cmd("graph run until nan")
    like(r["text"], "^input '.*' has [1-9][0-9]* NaN and 0 Inf$", "a run reads the values of now, not those of the first run")
    is_(d.text("print prepared()").strip(), "1", "the graph was prepared once")
    d.do("delete")
    d.do("break g")
    d.go()
    is_(d.text("print prepared()").strip(), "0", "what was prepared is gone with the entry")
    d.go()
    is_(d.out, "done\n", "the program continues as before")

# An embedding without max_norm, and a dropout that is not in place, write nothing.
with Cdbg("""
    import torch
    import torch.nn.functional as F
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.drop = torch.nn.Embedding(4, 2), torch.nn.Dropout(0.5)
        def forward(self, i):
            return self.drop(self.table(i))
    net = Net()
    c = torch.compile(net, backend="eager", dynamic=False)
    c(torch.tensor([1, 2]))
    c(torch.tensor([1, 9]))
    """, limit=200) as d:
    d.do("break Net.forward")
    d.go()
    d.go()
    like(d.error("graph run"), "raised IndexError: index out of range in self$", "an index that is too large is not said to be written by an embedding")
done()
