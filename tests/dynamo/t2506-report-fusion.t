#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`report diff` of programs whose kernels inductor fuses in one run and not in another."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from reports import *

need_inductor()
path = script("""
    import sys, torch
    import torch._inductor.config as config

    ways = sys.argv[1:]
    if "apart" in ways:
        config.max_fusion_size = 1
    block = (lambda x: torch.cumsum(x, 0)) if "block" in ways else (lambda x: x)

    def f(x):
        y = x.sin()
        z = block(y).cos()
        return y, z, (x * 2).tanh()

    torch.compile(f)(torch.ones(64, 64))
""")
ENV = {"TORCHINDUCTOR_COMPILE_THREADS": "1", "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1"}
status, out, err, fused = report(path, "fused", env=ENV)
apart = report(path, "apart", "apart", env=ENV)[3]
block = report(path, "block", "block", env=ENV)[3]


def diff(x, y):
    return run(script("print()\n\n"), commands=["report diff %s %s" % (x, y), "quit"], options=["-q", "--plain"])[1]


is_(status, 0, "the program runs")
said = diff(fused, apart)
note(said)
like(said, r"(?m)^f, entry 0/0: fusion lost: its kernels have [2-9] outermost loops instead of 1$",
     "where fusion is off, loops of a kernel that were one are several: fusion lost")
unlike(said, r"graph (grown|smaller|changed)|guard", "nothing else has changed in the function")
like(diff(apart, fused), r"(?m)^f, entry 0/0: more is fused: its kernels have 1 outermost loop instead of [2-9]$", "the other way round more is fused")
said = diff(fused, block)
note(said)
like(said, r"(?m)^f, entry 0/0: fusion lost: 2 kernels instead of 1$", "an operator that cannot be fused into its neighbours loses fusion")
like(said, r"graph grown: captured has \d+ nodes instead of \d+: added torch\.cumsum", "and is named")
is_("nothing changed" in diff(block, block), True, "a report and itself have the same fusion")
done()
