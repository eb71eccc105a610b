#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph diff of two stages that torch made of one graph: a node that is in both is not changed, though both were made of one captured node."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
PROGRAM = """
    import sys, torch
    torch.set_num_threads(1)
    w = torch.nn.Parameter(torch.randn(4, 4))
    def f(x, k):
        y = (x @ w).sin()
        return (torch.relu(y) * k).sum()
    c = torch.compile(f, backend=sys.argv[1], dynamic=False)
    for k in 2, 5, 2, 5:
        c(torch.randn(3, 4), k).backward()
    """


def changed(d, stages):
    return [(r["node"], r["was"], r["is"]) for r in d.rows("graph diff " + stages) if r["change"] == "changed" and not r["was"].startswith("return")]


with Cdbg(PROGRAM, "aot_eager") as d:
    d.do("break f")
    for i in range(3):
        d.go()
    is_(changed(d, "joint forward"), [], "joint and forward: no node is another, only some are gone")
    is_([r["change"] for r in d.rows("graph diff joint forward") if r["node"] in ("relu", "detach", "mm", "sin")], [],
        "... none of those that both have is in the list")
    calls = changed(d, "0/0:joint 0/1:joint")
    ok(calls and all([was.replace("2)", "5)") == becomes for _, was, becomes in calls]),
       "the joint graphs of two entries differ by the constant alone", calls)
    is_([(r["change"], r["node"]) for r in d.rows("graph diff captured forward") if r["node"] == "sin"], [("changed", "sin")],
        "captured and forward: nodes are paired by what they were made from, as before")
if shutil.which("g++"):
    with Cdbg(PROGRAM, "inductor", limit=300) as d:
        d.do("break f")
        for i in range(3):
            d.go()
        for stages in "forward post-grad", "backward post-grad-backward":
            is_([r for r in d.rows("graph diff " + stages) if r["node"] == "output"], [],
                "%s: an output whose value one stage does not record has not changed" % stages)
done()
