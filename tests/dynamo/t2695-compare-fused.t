#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph compare where a kernel is wrong only as inductor fused it, and each of its nodes is right in a kernel that stores it: the code is
changed on its way to the C++ compiler, if it has both functions and one result."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_inductor()

PROGRAM = """
    import torch, torch._inductor.async_compile as compiling
    real = compiling.AsyncCompile.cpp_pybinding
    def wrong(self, argtypes, source):
        if %r and ".sin()" in source and ".cos()" in source and "out_ptr1" not in source:
            source = source.replace(".cos()", ".tanh()")
        return real(self, argtypes, source)
    compiling.AsyncCompile.cpp_pybinding = wrong
    def f(x, w):
        y = torch.relu(x @ w)
        s = torch.sin(y)
        c = torch.cos(s)
        return (c * 2 + 1) @ w
    c = torch.compile(f)
    x, w = torch.linspace(-2, 2, 1024).view(32, 32), torch.eye(32)
    for i in range(2):
        print("sum %%.4f" %% c(x, w).sum().item())
"""
sums = []
for fault in (True, False):
    with Cdbg(PROGRAM % fault, env={"TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1"}, limit=300) as d:
        d.do("tbreak %d" % d.line_of("print("))
        d.go()
        d.do("tbreak f")
        d.go()
        text = d.text("graph compare")
        d.run_out()
        sums.append(d.out.split("sum ")[-1])
    what = "a fault in the fused kernel: " if fault else "no fault: "
    if fault:
        like(text, r"the first wrong node is 'add'.*stage kernel\b", what + "its result is the first wrong node")
        like(text, r"line: \S+:12 in f", what + "with the program's line")
        like(text, r"kernel: cpp_fused\w*_cos\w*_sin", what + "and the kernel")
        like(text, r"note: kernel cpp_fused\w+ computes node add\w* wrongly only as fused: its nodes alone are right",
             what + "a note says that the nodes alone are right")
    else:
        like(text, r"no wrong node found", what + "no node is wrong")
        ok("as fused" not in text, what + "and no note is made", text)
ok(sums[0] != sums[1], "the fault changes what the program computes", str(sums))
done()
