#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph compare: results that a backend lacks, that are of another type or shape, and that are numbers."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
PROGRAM = """
    import torch
    def backend(gm, inputs):
        def run(*a):
            out = list(gm(*a))
            return %s
        return run
    def f(x, n):
        y = x.sin()
        return y * 2, y.sum(), n * 3
    c = torch.compile(f, backend=backend, dynamic=True)
    for i in range(2):
        try:
            c(torch.ones(3), 5)
        except Exception:
            pass
    """
for what, returned, wrong, note in (
        ("what eager returns", "out", [], None),
        ("a result less", "out[:2]", [2], r"returns 2 results, the graph 3$"),
        ("a result more", "out + [out[0]]", [3], r"returns 4 results, the graph 3$"),
        ("a generator", "(t for t in out)", [0, 1, 2], r"returns 0 results, the graph 3$"),
        ("None", "None", [0, 1, 2], r"returns 0 results"),
        ("a result in float64", "[out[0].double(), *out[1:]]", [0], r"^result 0 is float64 \[3\], eager's is float32 \[3\]$"),
        ("a result in another shape", "[out[0], out[1].reshape(1), out[2]]", [1], r"^result 1 is float32 \[1\], eager's is float32 \[\]$"),
        ("a sparse result", "[out[0].to_sparse(), *out[1:]]", [0], r"^result 0 is float32 sparse_coo \[3\], eager's is float32 \[3\]$"),
        ("another number", "[*out[:2], out[2] + 1]", [2], None)):
    with Cdbg(PROGRAM % returned) as d:
        d.do("tbreak f")
        d.go()
        reply = d.do("graph compare")
        rows = [r for r in reply["rows"] if r["stage"] == "result"]
        is_([r["node"].rpartition(" (result ")[2][:-1] for r in rows if r["ok"] is not True], [str(i) for i in wrong],
            "%s: the wrong results are named" % what)
        if note:
            like(reply["text"], "^note: .*" + note.lstrip("^"), "%s: a note names it" % what)

# The program that 'graph save' writes says the same.
with Cdbg(PROGRAM % "out") as d:
    d.do("tbreak f")
    d.go()
    path = os.path.join(os.path.dirname(d.path), "saved.py")
    d.do("graph save " + path)
is_(python(path, "aot_eager").returncode, 0, "the saved program finds nothing wrong with a right backend")
with open(path) as file:
    text = file.read()
for what, returned, told in (("a result less", "out[:1]", "1 results, 2 in eager: WRONG"),
                             ("a result in float64", "[out[0].double(), out[1]]", r"torch.float64 \[3\], eager's is torch.float32 \[3\]: WRONG"),
                             ("a result in another shape", "[out[0], out[1].reshape(1)]", r"torch.float32 \[1\], eager's is torch.float32 \[\]: WRONG")):
    with open(path, "w") as file:
        file.write(text.replace("    wrong = len(made)", "    out = made\n    made = %s\n    wrong = len(made)" % returned, 1))
    out = python(path, "aot_eager")
    ok(out.returncode == 1 and re.search(told, out.stdout), "the saved program: %s is wrong" % what, out.stdout + out.stderr)
done()
