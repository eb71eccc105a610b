#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# catch backward says why a backend of the program's own has no backward graph, and what to do; that remedy works.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import torch
    from torch._dynamo.backends.common import aot_autograd
    def plainly(gm, inputs):
        return gm.forward
    def f(x):
        return (x * 2).sin()
    def g(x):
        return (x * 3).cos()
    x = torch.ones(3, requires_grad=True)
    c = torch.compile(f, backend=plainly)
    c(x).sum().backward()
    print("first")
    torch.compile(g, backend="eager")(x)
    print("second")
    torch._dynamo.reset()
    c = torch.compile(f, backend=aot_autograd(fw_compiler=plainly))
    for i in range(2):
        c(x).sum().backward()
    print("done")
    """
OWN = (r"^(catchpoint \d+: backward\n)?no stop in entry 0/0: backend 'plainly' did not call AOTAutograd, which makes the backward graph; "
       r"wrap its compiler in torch\._dynamo\.backends\.common\.aot_autograd\(\), or compile with backend='aot_eager' or 'inductor'$")

with Cdbg(PROGRAM) as d:
    d.do("break 13")
    d.go()
    like(d.text("catch backward"), OWN, "a backend of the program's own: its reason and the remedy")
    d.do("break 15")
    d.go()
    like(d.text("catch backward"), r"(?s)entry 1/0: backend 'eager' compiles no backward graph.*\nno stop in entry 0/0: backend 'plainly' did",
         "eager beside it: each has its own reason")
    d.go()
    is_(d.reason, "backward", "with the remedy the backward graph stops")
    d.do("delete")
    d.go()
    is_(d.out, "first\nsecond\ndone\n", "the program continues as before")
done()
