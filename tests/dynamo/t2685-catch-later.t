#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# catch backward and catch kernel, set before anything is compiled: once an entry exists in which they cannot stop, a note gives the reason.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import sys, torch
    def f(x):
        return (x * 2).sin()
    def g(x):
        return (x * 3).sin()
    x = torch.ones(3, requires_grad=True)
    for fn, backend in zip((f, g), sys.argv[1:]):
        c = torch.compile(fn, backend=backend)
        for i in range(2):
            c(x).sum().backward()
    print("done")
    """
WHY = "catchpoint 1: no stop in entry 0/0: backend 'eager' compiles no backward graph"


def plain(commands, *backends):
    status, out, err = run(PROGRAM, *backends, options=("--plain", "-q"), commands=commands)
    return out


def told(out):
    return [line for line in out.splitlines() if line.startswith("catchpoint ") and ": no stop" in line]


out = plain(["catch backward", "continue"], "eager", "eager")
is_([line[:len(WHY)] for line in told(out)], [WHY], "backend eager: a note tells why catch backward cannot stop, once")
like(out, "done", "... and the program ends")
ok(out.index(told(out)[0]) < out.index("done"), "... after that")

out = plain(["catch backward", "continue", "continue", "continue"], "eager", "aot_eager")
is_(len(told(out)), 1, "eager first, aot_eager then: a note about the first entry")
is_(out.count("stopped: a backward graph begins"), 2, "... and catch backward stops in the second")

out = plain(["catch backward", "continue", "continue", "continue"], "aot_eager", "eager")
is_(told(out), [], "aot_eager first: no note, although eager comes later")

out = plain(["catch kernel *sin*", "continue"], "aot_eager", "eager")
is_([line.partition(";")[0] for line in told(out)], ["catchpoint 1: no stop in entry 0/0: backend 'aot_eager' makes no kernels"],
    "catch kernel says why no backend but inductor stops it")

out = plain(["catch backward", "disable 1", "continue"], "eager", "eager")
is_(told(out), [], "no note about a disabled catchpoint")

with Cdbg(PROGRAM, "eager", "eager") as d:
    d.do("break %d" % d.line_of("print"))
    d.go()
    like(d.text("catch backward"), "no stop in entries 0/0, 1/0", "set later, its answer says why")
    d.do("delete")
    d.run_out()
    is_(d.out, "done\n", "the program's output is its own")
done()
