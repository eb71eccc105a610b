#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Lines of code that torch took from its cache, where the cache was written for the same graph on other lines: before an edit of the
file, for another file, or for another function."""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_inductor()

BODY = """
    h = x @ w
    h = torch.tanh(h)

    h = torch.tanh(h) @ w
    h = torch.tanh(h)
    return (h * 2).sum()
"""
OTHER = BODY.replace("\n\n", "\n    # a comment\n    assert torch is not None\n")
END = """
c = torch.compile(%s)
for i in range(2):
    x, w = torch.ones(8, 8, requires_grad=True), torch.ones(8, 8)
    c(x, w).backward()
"""
# name: the program, and the lines of: the first product, the second one, what follows it
TIMES = {
    "as compiled": ("import torch\ndef f(x, w):" + BODY + END % "f", (3, 6, 8)),
    "moved down": ("import torch\n\n# f\n\n\ndef f(x, w):" + BODY + END % "f", (7, 10, 12)),
    "moved apart": ("import torch\ndef f(x, w):" + OTHER + END % "f", (3, 7, 9)),
    "another function": ("import torch\ndef g(x, w):\n    return x\ndef k(x, w):" + BODY + END % "k", (5, 8, 10)),
    "moved back": ("import torch\ndef f(x, w):" + BODY + END % "f", (3, 6, 8)),
}
folder = tempfile.mkdtemp(prefix="cdbg-t2646-")
for name, (program, expected) in TIMES.items():
    function = "k" if "def k" in program else "f"
    with Cdbg(program, env={"TORCHINDUCTOR_CACHE_DIR": folder}, limit=300) as d:
        d.do("tbreak " + function)
        d.go()
        at = [d.go("stepg")["frame"]]
        for i in range(3):
            at.append(d.go("step")["frame"])
        is_([f.get("user_line") for f in at], [expected[0], expected[1], expected[1], expected[2]],
            "%s: steps in the graph are on the program's lines" % name)
        graph = d.rows("info graphs")[0]["graph"]
        rows = d.rows("graph show %s forward" % graph)
        is_([r["line"] for r in rows if r["target"] == "aten.mm.default"], list(expected[:2]), "%s: ... and the nodes of its stages" % name)
        links = {r["id"]: r["line"] for r in d.rows("info links node %s:forward:mm" % graph)}
        is_(links.get(graph + ":h"), expected[0], "%s: ... which belong to the captured nodes on these lines" % name)
shutil.rmtree(folder)
done()
