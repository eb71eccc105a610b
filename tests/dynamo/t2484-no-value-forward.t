#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Where a graph's inputs cannot be found, the error names the function with its class: the frame of a graph is named forward, too.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import torch
    class Net(torch.nn.Module):
        def forward(self, x):
            return x.sin().sum()
    x = torch.ones(3, requires_grad=True)
    torch.compile(Net(), backend="aot_eager")(x).backward()
    """

with Cdbg(PROGRAM) as d:
    d.do("catch backward")
    is_(d.go()["frame"]["function"], "forward", "the selected frame runs the backward graph")
    like(d.error("graph run"), r"does not run 'Net\.forward'; add 'with \w+=EXPR', or select a frame of 'Net\.forward'",
         "graph run names the function whose arguments it needs")

with Cdbg("""
    import torch
    def f(x):
        x = x + 1
        torch._dynamo.graph_break()
        return x.sin()
    torch.compile(f, backend="eager")(torch.ones(3))
    end = 1
    """) as d:
    d.do("break %d" % d.line_of("end = 1"))
    d.go()
    like(d.error("graph run 1/0"), r"does not run 'f \(resumed at line \d\)'; add 'with",
         "a resume function is named as in the other answers")
done()
