#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Functions whose graphs are equal: inductor has one file for all of them, and with aot_eager their nodes have the same names. The code
that runs has the lines of the function that runs it, in backward too, where autograd calls it."""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_inductor()

PROGRAM = """
    import torch
    def f(x, w):
        h = torch.tanh(x) @ w
        return torch.sin(h)
    def k(x, w):
        h = torch.tanh(x) @ w
        return torch.sin(h)
    first = torch.compile(f, backend="%s")
    other = torch.compile(k, backend="%s")
    x, w = torch.ones(8, 8, requires_grad=True), torch.ones(8, 8)
    for i in range(3):
        y, z = first(x, w), other(x, w)
        (y + z).sum().backward()
    """
folder = tempfile.mkdtemp(prefix="cdbg-t2647-")
for backend in ("aot_eager", "inductor"):
    with Cdbg(PROGRAM % (backend, backend), env={"TORCHINDUCTOR_CACHE_DIR": folder}, limit=300) as d:
        d.do("tbreak 13")
        d.go()
        for turn in range(2):
            for function, lines in (("f", {3, 4}), ("k", {6, 7})):
                d.do("tbreak " + function)
                d.go()
                at = [d.go("stepg")["frame"]] + [d.go("step")["frame"] for i in range(2)]
                what = "%s, turn %d: " % (backend, turn)
                ok({f.get("user_line") for f in at} <= lines, what + "steps through the graph of %s are on its lines" % function, str(at))
                is_({r["line"] for r in d.rows("info graph") if r.get("line")}, lines, what + "... as the rows of 'info graph'")
                linked = {r["line"] for r in d.rows("info links") if r["what"] == "line"}
                ok(linked and linked <= lines, what + "... and what is linked", str(linked))
                d.go("finish")
            if turn == 0:
                d.do("catch backward")
                for function, lines in (("k", {6, 7}), ("f", {3, 4})):      # autograd begins with what was called last
                    at = [d.go()["frame"]] + [d.go("step")["frame"] for i in range(2)]
                    ok({f.get("user_line") for f in at} == lines, "%s: steps through the backward graph of %s are on its lines" % (backend, function), str(at))
                    linked = {r["line"] for r in d.rows("info links") if r["what"] == "line"}
                    ok(linked and linked <= lines, "... and what is linked", str(linked))
                d.do("delete")
shutil.rmtree(folder)

AGAIN = """
    import torch
    def f(x, n):
        return torch.sin(torch.tanh(x) * n)
    c = torch.compile(f, backend="aot_eager")
    x = torch.ones(4, requires_grad=True)
    for i in range(2):
        c(x, "1".count("1"))
        c(x, 1.5)
    c(x, 1).sum().backward()
    c(x, 1.5).sum().backward()
    """
with Cdbg(AGAIN) as d:
    d.do("tbreak 8")
    d.go()
    d.do("tbreak 7")
    d.go()
    graphs = sorted({r["graph"] for r in d.rows("info graphs")})
    d.do("break f")
    for graph in graphs:
        d.go()
        d.go("stepg")
        ids = [r["id"] for r in d.rows("info links") if r["what"] == "node"]
        ok(ids and all(i.startswith(graph + ":") for i in ids), "entries of one function with equal graphs: what is linked to a line of %s is of it" % graph, str(ids))
    d.do("delete")
    d.do("catch backward")
    for graph in graphs:
        d.go()
        d.go("step")                            # the first node may be one that torch made of a number, with no line
        ids = [r["id"] for r in d.rows("info links") if r["what"] == "node"]
        ok(ids and all(i.startswith(graph + ":") for i in ids), "... in backward too", str(ids))
done()
