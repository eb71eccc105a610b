#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# catch backward, catch kernel, catch nan: stops inside compiled graphs.
import os
import shutil
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import sys
    import torch
    def f(x, w):
        a = torch.log(x @ w)
        b = torch.relu(a) * 2
        v, i = torch.topk(b, 2)
        return b.sum() + v.mean() + a.sum()
    x, w = torch.ones(4, 4), torch.ones(4, 4)
    w.requires_grad_(True)
    c = torch.compile(f, backend=sys.argv[1])
    kind = torch.float32 if len(sys.argv) < 3 else getattr(torch, sys.argv[2])
    with torch.no_grad():
        x, w = x.to(kind), w.to(kind)
    w.requires_grad_(True)
    for scale in (1.0, float("nan"), -1.0):
        state = torch.get_rng_state()
        r = c(x * scale, w)
        if sys.argv[1] != "eager" and scale == 1.0:
            r.backward()
    print("%s %.4f" % (torch.equal(state, torch.get_rng_state()), w.grad.sum().item() if w.grad is not None else 0.0))
    """

with Cdbg(PROGRAM, "eager") as d:
    d.do("catch nan")
    stop = d.go()
    is_((stop["reason"], stop["frame"]["kind"]), ("nan", "graph"), "catch nan stops in the graph")
    is_((stop["detail"]["node"], stop["detail"]["nan"], stop["detail"]["inf"]), ("a", 16, 0), "... after the node that made it")
    like(d.text("print a"), "nan", "... whose value is there")
    is_(d.rows("info breakpoints")[0]["hits"], 1, "a NaN among the inputs is not the graph's")
    d.go()
    is_(d.exited and d.exited["status"], 0, "the NaN is reported once")
    like(d.out, "True", "the random number generator is where it was")

for kind in ("float16", "bfloat16", "float64"):
    with Cdbg(PROGRAM, "eager", kind) as d:
        d.do("catch nan inf")
        d.do("catch nan nan")
        stop = d.go()
        is_((stop["number"], stop["detail"]["node"], stop["detail"]["nan"]), (2, "a", 16), "elements of %s are read" % kind)
with Cdbg(PROGRAM, "eager") as d:
    like(d.error("catch nan zero"), "invalid argument 'zero' of 'catch nan'", "catch nan takes nan or inf")
    like(d.error("catch backward f"), "takes no arguments", "catch backward takes none")

with Cdbg(PROGRAM, "aot_eager") as d:
    d.do("catch backward")
    d.do("catch nan nan")
    stop = d.go()
    is_((stop["reason"], stop["frame"]["kind"]), ("backward", "graph"), "catch backward stops in the backward graph")
    like(d.text("bt"), "in forward|forward at", "... at its first node")
    stop = d.go()
    is_((stop["reason"], stop["detail"]["node"]), ("nan", "log"), "catch nan in AOTAutograd's graph")

if not shutil.which("g++"):
    skip("what inductor compiles", "no g++: inductor cannot compile")
else:
    with Cdbg(PROGRAM, "inductor", limit=240) as d:
        d.do("catch kernel cpp_fused*log*")
        stop = d.go()
        is_((stop["reason"], stop["frame"]["kind"]), ("kernel", "graph"), "catch kernel stops in inductor's call")
        like(stop["detail"]["kernel"], "^cpp_fused.*log", "... before the kernel")
        ok(len(stop["detail"]["writes"]) >= 1, "... and tells what it writes", str(stop["detail"]))
        d.do("delete")
        d.do("catch kernel *.topk.default")
        stop = d.go()
        is_((stop["reason"], stop["detail"]["called"]), ("kernel", "torch.ops.aten.topk.default"), "an operation of a library is found by its name")
        d.do("delete")
        d.do("catch backward")
        like(d.go()["frame"]["node"], "buf|fused", "catch backward stops in inductor's backward")
        d.do("delete")
        d.do("catch nan")
        stop = d.go()
        is_(stop["reason"], "nan", "catch nan stops in inductor's call")
        like(stop["detail"]["node"], "cpp_fused.*log", "... after the kernel that made it")

# What memory holds that is not written yet: torch fills it with NaN in this mode.
with Cdbg("""
    import sys
    import torch
    torch.use_deterministic_algorithms(True)
    def f(x):
        a = torch.empty_like(x)
        a.copy_(x)
        b = x.new_empty(x.shape)
        b[:1] = 1
        b[1:] = 2
        c = torch.ops.aten.empty.memory_format([2, 2], dtype=torch.float32, device="cpu").fill_(3)
        return (a + b + c - 100).log()
    for backend in "eager", "aot_eager":
        torch._dynamo.reset()
        c = torch.compile(f, backend=backend)
        c(torch.ones(2, 2))
        c(torch.ones(2, 2))
    """, limit=200) as d:
    d.do("break f")
    for backend in "eager", "aot_eager":
        d.go()
        d.go()
        is_(d.do("graph run until nan")["first"], "log", "%s: graph run names no node that allocates memory as the first with NaN" % backend)
        d.do("tcatch nan")
        d.go()
        is_((d.reason, d.stop["detail"]["node"]), ("nan", "log"), "%s: catch nan does not stop at one" % backend)
done()
