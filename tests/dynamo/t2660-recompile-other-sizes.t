#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph recompile with a size that the symbols of the graph do not allow: the stages are those of the code for that size, each once."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_inductor()
with Cdbg("""
    import torch
    def f(x, n):
        return x.sin()[:, :n].sum(1) * n
    c = torch.compile(f, dynamic=True)
    for n in 2, 3:
        c(torch.ones(3, 4), n)
    """, limit=300) as d:
    d.do("break f")
    d.go()
    d.go()
    for what, values in (("sizes that they allow", ""), ("a size that they do not allow", " with x=torch.ones(5, 4) n=4")):
        text = d.do("graph recompile" + values)["text"].strip().partition(": ")[2].rpartition(" (")[0]
        is_(text, "inference, post-grad, kernel", "%s: each stage is made once" % what)
    unlike(str(d.rows("graph show post-grad")), r"\bs\d+", "... and the stages are those of the code for that size")
done()
