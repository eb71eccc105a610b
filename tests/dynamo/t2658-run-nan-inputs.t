#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph run of inputs and constants with NaN or Inf: they are reported, and the first node that makes one of its own is found beyond them."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
with Cdbg("""
    import torch
    masked = torch.tensor([0., -torch.inf])
    class Net(torch.nn.Module):
        def forward(self, x, mask):
            y = x + mask + masked
            return y.softmax(-1) * 2
    c = torch.compile(Net(), backend="eager")
    none, all = torch.zeros(2), torch.full((2,), -torch.inf)
    for x, mask in (torch.ones(2), none), (torch.ones(2), all), (torch.full((2,), torch.nan), none), (none, none):
        c(x, mask)
    """) as d:
    d.do("break Net.forward")
    for what, first, told in (
            ("finite inputs", None, []),
            ("an infinite input", "softmax", ["input 'l_mask_' has 0 NaN and 2 Inf"]),
            ("an input that is NaN", None, ["input 'l_x_' has 2 NaN and 0 Inf"])):
        d.go()
        for command in "graph run", "graph run until nan":
            r = d.do(command)
            is_(r["first"], first, "%s, %s: the first node that makes a NaN or Inf" % (what, command))
            is_([line for line in r["text"].splitlines() if line.startswith("input '") and "masked" not in line], told, "... and the inputs that have some")
            like(r["text"], "^input '.*masked.*' has 0 NaN and 1 Inf$", "... a global among them")
        is_(r["rows"][-1]["node"], first or "output", "... the run ends there")
    d.go()
    like(d.error("graph run until nan -t"), "takes no figures, which 'until nan' needs", "-t, which takes no figures, is refused with until nan")
    like(d.error("graph memory until nan"), "is an argument of 'graph run'", "graph memory refuses 'until nan'")
done()
