#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The seconds of a compile are the compile's own: time at a stop within it is not counted.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
with Cdbg("""
    import time
    import torch


    @torch.compile(backend="eager")
    def f(x):
        x = x + 1
        print("break")
        return x * 2


    def g(x):
        return torch.compile(lambda y: y.sin(), backend="eager")(x)


    began = time.monotonic()
    f(torch.ones(3))
    took = time.monotonic() - began
    done = True
    """) as d:
    d.do("catch graph-break")
    d.go()
    is_(d.reason, "graph-break", "a stop within a compile")
    d.do("print __import__('time').sleep(2)")
    d.do("break prog.py:%d" % d.line_of("done = True"))
    d.go()
    took = float(d.text("print took"))
    seconds = {r["entry"]: r["seconds"] for r in d.rows("info entries")}
    ok(0 < seconds["0/0"] < took - 1.9, "its time is not the compile's", "%s of %s" % (seconds, took))
    d.do("print __import__('time').sleep(1) or 1")
    ok({r["entry"]: r["seconds"] for r in d.rows("info entries")}["0/0"] == seconds["0/0"], "nor is that of later stops")
    d.do("print g(torch.ones(3))")
    made = [r["seconds"] for r in d.rows("info entries") if "lambda" in r["function"]]
    ok(len(made) == 1 and made[0] > 0, "a compile at the prompt has its own seconds", made)
done()
