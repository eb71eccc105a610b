#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""While a command runs or compiles a graph, the program's other threads are held: none sees what the command changes in torch, and none
compiles.  A lock that one of them has delays the command and ends nothing."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
cases = os.path.join(top, "tests", "cases")


def program(name):
    return os.path.join(cases, name)


with Cdbg(program("threads_compile.py")) as d:
    d.do("break here")
    refused = []
    for command in "graph compare 0/0", "graph recompile 0/0", "graph run 0/0 inference", "entry diff 0/0":
        d.go()
        why = d.error(command + " with x=torch.ones(3) k=1.0")
        refused += [(command, why)] if why else []
    is_(refused, [], "commands that compile run while other threads compile")
    d.do("delete")
    d.run_out()
    is_(d.out, bare(program("threads_compile.py"))[1], "... and no thread raises, or sees another mode of torch")

for command in "graph run 0/0", "graph compare 0/0", "entry run 0/0":
    with Cdbg(program("threads_counted.py")) as d:
        d.do("break f")
        d.go()
        d.do(command)
        is_(set(re.findall(r"moved \d+", d.err)), {"moved 0"}, "no instruction of another thread runs during '%s'" % command)
        d.do("delete")
        d.run_out()
        is_(d.out, bare(program("threads_counted.py"))[1], "... and it runs on with the program")

with Cdbg(program("threads_share_a_lock.py")) as d:
    d.do("break f")
    d.go()
    like(d.text("graph run 0/0"), r"(?m)^add ", "a command that needs a lock of a thread that is held gets it in the end")
    d.do("delete")
    d.run_out()
    is_(d.out, "6.0\n", "... and the program ends as always")

# Dynamo's lock is this thread's own where it stops as it compiles.
with Cdbg("""
    import threading, torch
    def f(x):
        return torch.tanh(x)
    c = torch.compile(f, backend="aot_eager")
    thread = threading.Thread(target=threading.Event().wait, args=(60,), daemon=True)
    thread.start()
    c(torch.ones(3))
    c(torch.ones(4))
    print("done")
""") as d:
    d.do("catch compile")
    d.go()
    d.go()
    like(d.text("graph run 0/0 with x=torch.ones(3)"), r"(?m)^tanh ", "a stop inside a compile can run the graph of another entry")
    d.do("delete")
    d.run_out()
    is_(d.out, "done\n", "... and the program compiles on")

# Another thread stops inside its compile and waits for this stop: it will not leave Dynamo's lock meanwhile.
with Cdbg("""
    import threading, torch
    def f(x):
        return torch.tanh(x)
    def here():
        pass
    c = torch.compile(f, backend="aot_eager")
    c(torch.ones(3))
    inside, go = threading.Event(), threading.Event()
    def waiting(gm, inputs):
        inside.set()
        go.wait(60)
        stop_there()
        return gm.forward
    def stop_there():
        pass
    other = torch.compile(lambda x: x + 1, backend=waiting)
    thread = threading.Thread(target=other, args=(torch.ones(3),))
    thread.start()
    inside.wait(60)
    here()
    thread.join()
    print("done")
""") as d:
    d.do("break here")
    d.do("break stop_there")
    d.go()
    d.do("print go.set()")
    why = d.error("graph compare 0/0 with x=torch.ones(3)") or ""
    like(why, r"^nothing was run: another thread compiles and waits to stop.*'continue'", "where another thread compiles and waits to stop, a command is refused")
    d.do("delete")
    d.run_out()
    is_(d.out, "done\n", "... and the program ends as always")
done()
