#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# graph diff of a captured graph and a later stage, of one entry or of two: each operation is paired with the one that computes it there.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import torch
    torch.set_num_threads(1)
    w = torch.nn.Parameter(torch.randn(4, 4))
    def f(x, k):
        y = torch.relu((x @ w).sin())
        y = torch.nn.functional.layer_norm(y, (4,))
        return (y.max(-1)[0] * k).sum()
    c = torch.compile(f, backend="aot_eager", dynamic=False)
    for k in 2, 5, 2, 5:
        c(torch.randn(3, 4), k).backward()
    """


def calls(text):
    return text.partition("(")[0] if text else None


with Cdbg(PROGRAM) as d:
    d.do("break f")
    for i in range(3):
        d.go()
    for entry, what in ("0/0", "its own"), ("0/1", "another entry's"):
        rows = {r["node"]: (r["change"], calls(r["was"]), calls(r["is"])) for r in d.rows("graph diff 0/0:captured %s:joint" % entry)}
        is_(rows["relu"], ("changed", "torch.relu", "aten.relu.default"), "relu and %s joint graph: it became aten.relu" % what)
        is_(rows["detach"][0], "added", "... and what backward keeps of it is added")
        is_([v for v in rows.values() if v[1] == "operator.getitem"], [("changed", "operator.getitem", "operator.getitem")],
            "... a part of max() is paired with the same part")
        rows = {r["node"]: (r["change"], calls(r["was"]), r["was"], calls(r["is"])) for r in d.rows("graph diff %s:joint 0/0:captured" % entry)}
        is_([v[:2] for v in rows.values() if v[3] == "torch.relu"], [("changed", "aten.relu.default")], "the other way round: relu is paired with aten.relu")
        is_([v[2].rpartition(",")[2] for v in rows.values() if v[0] == "changed" and v[1] == "operator.getitem"], [" 0)", " 0)"],
            "... the part of max(), and layer_norm() with its result, not with what it keeps for backward")
        is_(rows["max_1"][:2], ("changed", "aten.max.dim"), "... max() itself with aten.max")
done()
