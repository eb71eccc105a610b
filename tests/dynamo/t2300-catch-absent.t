#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# catch backward and catch kernel say when the entries that exist cannot have what they wait for, and what to do.
import os
import shutil
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import sys
    import torch
    def f(x):
        return torch.sin(x) * 2
    def g(x):
        return torch.cos(x)
    x = torch.ones(4, requires_grad=sys.argv[2] == "train")
    a, b = (torch.compile(v, backend=sys.argv[1]) for v in (f, g))
    a(x)
    b(x)
    def later():
        y = a(x)
        if y.requires_grad:
            y.sum().backward()
    later()
    print("done")
    """


def notes(d):
    return d.rows("info breakpoints")[-1].get("notes") or ""


with Cdbg(PROGRAM, "eager", "train") as d:
    is_(d.text("catch backward"), "catchpoint 1: backward", "before anything is compiled nothing is known")
    d.do("break later")
    d.go()
    is_(d.rows("info breakpoints")[0]["notes"],
        "no stop in entries 0/0, 1/0: backend 'eager' compiles no backward graph, autograd computes the gradients; compile with "
        "backend='aot_eager' or 'inductor'", "catch backward says that eager's entries have no backward graph, and the remedy")
    like(d.text("catch backward"), r"^catchpoint 3: backward\nno stop in entries 0/0, 1/0: backend 'eager'", "... also when it is set")
    is_(d.text("catch kernel"), "catchpoint 4: kernel\nno stop in entries 0/0, 1/0: backend 'eager' makes no kernels; compile with "
        "backend='inductor', or stop at a node with 'break node:NAME'", "catch kernel says that eager makes none")
    unlike(d.text("catch nan"), "no stop", "catch nan stops in eager's graphs, too")
    d.go()
    is_(d.out, "done\n", "none of them stops")
with Cdbg(PROGRAM, "aot_eager", "train") as d:
    d.do("break later")
    d.go()
    is_(d.text("catch backward"), "catchpoint 2: backward", "a graph that is trained has a backward graph")
    like(d.text("catch kernel cpp*"), "backend 'aot_eager' makes no kernels", "aot_eager makes no kernels")
    is_(d.go()["reason"], "backward", "... and the program stops there")
with Cdbg(PROGRAM, "aot_eager", "infer") as d:
    d.do("break later")
    d.go()
    is_(d.text("catch backward"), "catchpoint 2: backward\nno stop in entries 0/0, 1/0, compiled for inference: gradients were off, or no "
        "input required one", "catch backward says that graphs were compiled for inference")
if not shutil.which("g++"):
    skip("what inductor compiles", "no g++: inductor cannot compile")
else:
    with Cdbg(PROGRAM, "inductor", "train", limit=240) as d:
        d.do("break later")
        d.go()
        is_(d.text("catch kernel"), "catchpoint 2: kernel", "inductor's entries have kernels")
        like(d.text("catch kernel no_such*"), r"\nno kernel so far is named 'no_such\*'; there are cpp_fused_\w+, cpp_fused_\w+",
             "a pattern that no kernel matches is answered with their names")
        like(d.text("catch kernel cpp_fused*"), r"^catchpoint 4: kernel cpp_fused\*$", "... one that matches is not")
done()
