#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An editor disconnects while a function is being compiled: the compile and the program end as ever."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from dap import Editor  # noqa: E402

need_torch()
folder = os.path.dirname(script("", "left.txt"))
p = script("""
    import os, sys, time, torch
    def backend(gm, inputs):
        print("compiling", flush=True)
        while not os.path.exists(sys.argv[1]):
            time.sleep(0.01)
        return gm.forward
    @torch.compile(backend=backend)
    def f(x):
        y = x + 1
        return y * 2
    print(f(torch.ones(3)).tolist(), f(torch.ones(3)).tolist(), flush=True)
    open(sys.argv[2], "w").write("over")
    sys.exit(4)
""")

for how in (False, True):
    go, over = folder + "/go%d" % how, folder + "/over%d" % how
    with Editor() as e:
        e.launch(p, {p: [line_of(p, "return y * 2")]}, args=[go, over], filters=[])
        while "compiling" not in e.out:
            e.next()
        if how:
            e.breakpoints(p, [])
            e.breakpoints(p, [line_of(p, "y = x + 1")])
        e.ask("disconnect", terminateDebuggee=False)
        open(go, "w").close()
        while "]" not in e.out:
            e.next()
        is_((e.end(), open(over).read()), (4, "over"), "disconnect while a backend compiles%s: the program ends as ever" % (", after a breakpoint was set then" if how else ""))
        is_(e.out, "compiling\n[4.0, 4.0, 4.0] [4.0, 4.0, 4.0]\n", "... with its results, compiled once")
        is_(e.wrong, [], "... in proper messages")

with Editor() as e:
    e.launch(p, args=[folder + "/never", folder + "/not"])
    while "compiling" not in e.out:
        e.next()
    e.ask("terminate")
    e.event("terminated")
    is_((os.path.exists(folder + "/not"), e.wrong), (False, []), "terminate ends it in the compile")

done()
