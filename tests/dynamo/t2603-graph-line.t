#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""In a frame of a graph a bare line number is a line of the file that list shows: the program's where the node's line is known."""
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
PROGRAM = """
    import torch
    def f(a, b):
        c = a.sin() + b
        d = c @ b
        e = d.cos() * 2
        e = e + 1
        e = e.tan() * e
        print("computed")
        return e
    a, b = torch.randn(4, 4), torch.randn(4, 4)
    g = torch.compile(f, backend="BACKEND")
    for i in range(2):
        g(a, b)
"""
for backend in ["aot_eager"] + ["inductor"] * bool(shutil.which("g++")):
    with Cdbg(PROGRAM.replace("BACKEND", backend), limit=200, env={"TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1"}) as d:
        d.do("break f")
        d.go()
        d.go("stepg")
        listed = d.do("list .")["text"]
        while d.stop["frame"]["kind"] == "graph" and "->      d = c @ b" not in listed:
            d.go("step")
            listed = d.do("list .")["text"]
        like(listed, r"-> +d = c @ b", "%s: list shows the program at a node" % backend)
        like(d.do("break 8")["text"], r"^breakpoint 2 at prog\.py:8 \(f", "... break LINE is a line of that file, which the answer names")
        like(d.do("tbreak +4")["text"], r"at prog\.py:8 \(f", "... and +N counts from the line that is shown")
        like(d.error("jump 8"), "other code, 'f'", "... jump LINE as well: it refuses a line of other code")
        d.do("delete 3")
        d.go("until 6")
        is_((d.stop["reason"], d.stop["frame"]["kind"]), ("step", "graph"), "... until LINE stops in the graph")
        like(d.do("list .")["text"], r"(?m)-> +%s$" % re.escape("e = e + 1" if backend == "aot_eager" else "e = e.tan() * e"),
             "... where it begins to compute that line, or the next line that has a node or kernel")
        d.go("step")
        is_(d.go("until prog.py:3")["reason"], "return", "... until an earlier line stops when the graph returns")
        is_((d.go()["reason"], d.stop["frame"]["line"], d.stop["number"]), ("breakpoint", 8, 2), "... it stops there")
        d.do("delete")
        d.run_out()
        is_(d.out, "computed\n" * 2, "... and the program prints what it always prints")
for command in "until 8", "advance 8":
    with Cdbg(PROGRAM.replace("BACKEND", "eager")) as d:
        d.do("catch graph-break")
        is_(d.go()["reason"], "graph-break", "a frame that Dynamo compiles has no code")
        d.go(command)
        ok(d.stop, "... %s runs on from there" % command)
        d.do("delete")
        d.run_out()
        is_(d.out, "computed\n" * 2, "... and the program prints what it always prints")
done()
