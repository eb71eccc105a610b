#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The nodes of sub-graphs by the names that graph show prints: break node:, and sub-graphs in graph show, code, draw and diff.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import sys, warnings
    warnings.simplefilter("ignore")
    import torch
    torch.manual_seed(0)
    x, w = torch.rand(4, 4), torch.rand(4, 4)
    def f(x, w):
        a = torch.cos(x @ w)
        b = torch.cond(a.sum() > -100, lambda a: torch.cos(a) * 2, lambda a: a - 1, (a,))
        return b + 1
    c = torch.compile(f, backend=sys.argv[1])
    for i in range(3):
        r = c(x, w)
    print("%.4f" % r.sum().item())
    """

for backend, stage, sub in (("eager", "captured", "cond_true_0"), ("aot_eager", "inference", "true_graph_0")):
    with Cdbg(PROGRAM, backend, limit=240) as d:
        d.do("break f")
        d.go()
        names = [r["node"] for r in d.rows("graph show " + stage)]
        cos = sub + ".cos"
        ok(cos in names, "graph show has the nodes of a sub-graph (%s)" % backend, str(names))
        d.do("delete")
        d.do("break node:" + cos)
        stop = d.go()
        is_((stop["reason"], stop["frame"].get("node")), ("breakpoint", "cos"), "break node: takes the name that graph show prints")
        like(d.rows("info graph")[0]["graph"], sub, "... and stops in the sub-graph only")
        is_(d.go()["frame"].get("node"), "cos", "... again in the next call")
        is_(len([r for r in d.rows("info graph") if r["node"] == "cos"]), 1, "... not at the node of that name around it")
        d.do("delete")
        d.do("break node:%s.*" % sub)
        is_(d.go("continue")["frame"].get("node"), "mul", "patterns too")
        is_([r["node"] for r in d.rows("graph show 0/0 " + sub)][1:], ["cos", "mul", "output"], "graph show of a sub-graph")
        like(d.text("graph code %s.%s" % (stage, sub)), r"(?s)def .*%s.*cos = .*mul = .*return" % sub, "graph code of a sub-graph of a stage")
        like(d.text("graph draw " + sub), r"cos = .*", "graph draw of a sub-graph")
        other = sub.replace("true", "false")
        rows = d.rows("graph diff %s %s" % (sub, other))
        ok([r for r in rows if r["change"] == "removed" and r["node"] == "cos"] and [r for r in rows if r["change"] == "added"],
           "graph diff of two sub-graphs", str(rows))
        like(d.error("graph show 0/0 nothing"), "no stage 'nothing' of", "a sub-graph that does not exist is refused")
        d.do("delete")
        d.run_out()
        like(d.out, r"^[0-9.]+\n$", "the program ends as ever")
done()
