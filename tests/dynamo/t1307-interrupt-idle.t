#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# An interrupt between two commands of a machine ends none of them; one while cdbg loads its own files ends the command, which works again after it.
import os, signal, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

with Cdbg("""
    a = 1
    print("end")
""") as d:
    d.do("print 40")
    for line in "print 40 + 2", "info breakpoints", "print 40 + 2":
        os.kill(d.proc.pid, signal.SIGINT)
        ok(d.cmd(line)["ok"], "SIGINT before '%s' does not end it" % line)
    d.run_out()
    is_((d.out, d.exited["status"]), ("end\n", 0), "... and does not stop the program later")

need_torch()
with Cdbg("""
    import sys, torch
    interrupted = ["object_state.py", "/run.py", "/rows.py"]
    def hook(event, args):
        if event == "open" and interrupted and str(args[0]).endswith(interrupted[0]):
            interrupted.pop(0)
            raise KeyboardInterrupt
    sys.addaudithook(hook)
    def f(x):
        return x.sin() + 1
    c = torch.compile(f, backend="eager")
    for _ in range(2):
        c(torch.ones(3))
    print("end")
""") as d:
    d.do("break f")
    d.go()
    d.go()
    for name in "object_state.py", "/run.py", "/rows.py":
        is_(d.error("graph run"), "the graph cannot be run: interrupted", "an interrupt while %s is loaded ends the command" % name)
    is_([row["node"] for row in d.rows("graph run")], ["l_x_", "sin", "add", "output"], "... which runs the graph after it")
    d.do("delete")
    d.run_out()
    is_(d.out, "end\n", "the program runs to its end")
done()
