#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# In inductor's code each row of info graph has a name, also where a while_loop or torch.cond calls its sub-graphs.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_inductor()

PROGRAM = """
    import torch
    from torch._higher_order_ops.while_loop import while_loop
    def loop(i, x):
        return while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 1.5 + i), (i, x))
    def branches(x):
        return torch.cond(x.sum() > 0, lambda x: (x * 2).cos(), lambda x: x.sin() - 1, (x,)) + 1
    with torch.no_grad():
        c, b = torch.compile(loop, backend="inductor"), torch.compile(branches, backend="inductor")
        for i in range(2):
            print(c(torch.tensor(0), torch.ones(3))[1].tolist())
            b(torch.ones(3))
    """

with Cdbg(PROGRAM, limit=300) as d:
    for name, calls, called in (("loop", 2, ["while_loop_cond_graph_0", "while_loop_body_graph_0"]), ("branches", 1, ["true_graph_0"])):
        d.do("delete")
        d.do("break " + name)
        for _ in range(calls):
            d.go()
        d.go("stepg")
        names = [row["node"] for row in d.rows("info graph")]
        ok(all(names), "%s: each row has a name" % name, str(names))
        ok("buf0" in names, "... those of the buffers that a sub-graph writes", str(names))
        ok(not [n for n in names if n.endswith("_args")], "... and what it is given is not a row", str(names))
        seen = []
        while d.frame.get("function") == "call" and d.reason != "return":
            seen.append(d.frame.get("node"))
            d.go("next")
        ok(all(seen) and set(called) <= set(seen), "... each step over one is at one that has a name, also where a sub-graph is called", str(seen))
    d.do("delete")
    d.go()
    is_(d.out, "[6.875, 6.875, 6.875]\n" * 2, "the program continues as before")
done()
