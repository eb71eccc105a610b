#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A breakpoint that is set at a stop while Dynamo compiles stops the program after the compile, in a function that nothing compiled.
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
PROGRAM = """
    import torch

    def end():
        pass

    @torch.compile(backend="eager")
    def f(x):
        y = x.sin() * 2
        print("break")
        return (y * x).sum()

    f(torch.ones(3))
    end()
    """
for kind in "graph-break", "compile":
    with Cdbg(PROGRAM) as d:
        d.do("catch " + kind)
        d.go()
        d.do("delete")
        d.do("break end")
        stop = d.go()
        is_((stop.get("reason"), (stop.get("frame") or {}).get("function")), ("breakpoint", "end"), "set at a stop of kind %s, it stops the program" % kind)
        d.run_out()
done()
