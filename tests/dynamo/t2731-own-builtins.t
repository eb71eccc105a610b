#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Commands that run cdbg's own Python code, at a stop in code whose builtins are __import__ alone.
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
with Cdbg("""
    import cdbg, torch
    def f(x):
        return x.sin() + 1
    c = torch.compile(f, backend="eager")
    x = torch.ones(3)
    c(x)
    exec(compile("stop()\\nn = 1\\nn = 2\\n", "bare.py", "exec"), {"__builtins__": {"__import__": __import__}, "stop": cdbg.breakpoint, "x": x})
    print("end")
""") as d:
    d.go()
    like(d.error("print len(x)"), "NameError", "a stop in code without most builtins")
    for line in "graph run 0/0 with x=x", "graph compare 0/0 with x=x", "entry run 0/0 with x=x", "entry diff 0/0 with x=x", "entry check 0/0 with x=x", "info guards 0/0", "guard drop x", "undo", "decompile 0/0":
        reply = d.cmd(line)
        ok(reply["ok"], "'%s' works there" % line, reply)
    is_(d.rows("graph run 0/0 with x=x")[-1]["node"], "output", "... and runs the whole graph")
    d.run_out()
    is_(d.out, "end\n", "the program runs to its end")
done()
