#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The help of the Dynamo plugin's views describes the columns that they have.
import os, re, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
with Cdbg("""
    import torch
    def f(x):
        return x.sin() + 1
    c = torch.compile(f, backend="eager")
    c(torch.ones(3))
    end = 1
""") as d:
    d.do("break %d" % d.line_of("end = 1"))
    d.go()
    help_of = {view: dict(re.findall(r"^  (\w+) +(.+)$", d.text("help view " + view), re.M)) for view in ("entries", "graph")}
    row = d.rows("info entries")[0]
    is_(help_of["entries"]["backend"], "the compiler of its graphs", "the backend of an entry is described as such")
    is_((row["backend"], help_of["entries"]["seconds"]), ("eager", "time to compile it"), "... which its value is; the time is described once")
    row = d.rows("info graph 0/0")[0]
    is_((help_of["graph"]["graph"], help_of["graph"]["entry"]), ("name of the graph", "entry that calls the graph"), "a node's graph and entry are described")
    ok(row["graph"].startswith("__compiled_fn") and row["entry"] == "0/0", "... as their values are", row)
done()
