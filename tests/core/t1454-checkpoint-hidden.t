#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A checkpoint is a child that the program does not see: os.wait() has none, and no SIGCHLD comes."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

TEXT = """
import functools, os, signal, subprocess
print = functools.partial(print, flush=True)
seen = []
signal.signal(signal.SIGCHLD, lambda *a: seen.append(1))

def f(i):
    return i

def waited():
    try:
        return os.wait()[1]
    except ChildProcessError:
        return "none"

for i in range(3):
    f(i)
print("wait", waited(), "signals", len(seen))
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("waitpid has none")
pid = os.fork()
if not pid:
    os._exit(7)
print("own", os.waitstatus_to_exitcode(waited()), waited())
print("subprocess", subprocess.run(["true"]).returncode)
os._exit(3)
"""


def lines(*commands):
    status, out, err = run(TEXT, commands=["break f", "continue"] + list(commands) + ["disable", "continue"], options=["-nx", "--plain"])
    return status, [l for l in out.splitlines() if l.startswith(("wait", "own", "subprocess"))]


plain = run(TEXT, options=["-nx", "--plain"], commands=["continue"])
want = [l for l in plain[1].splitlines() if l.startswith(("wait", "own", "subprocess"))]
is_(want, ["wait none signals 0", "waitpid has none", "own 7 none", "subprocess 0"], "the program alone has its own children only")
is_(lines("checkpoint"), (3, want), "with a checkpoint as well")
is_(lines("checkpoint", "continue", "checkpoint", "delete checkpoint 1"), (3, want), "with two, one of which ended")
is_(lines("checkpoint", "continue", "checkpoint go 1"), (3, want), "and in the process of a checkpoint, which keeps a copy; its status is told")
is_(lines("checkpoint", "continue", "checkpoint", "continue", "checkpoint go 2", "checkpoint go 1"), (3, want), "after going back twice")


def woken(pid):
    """How often the process has waited."""
    with open("/proc/%d/status" % pid) as f:
        return int(next(line for line in f if line.startswith("voluntary_ctxt_switches")).split()[1])


with Cdbg("def f(i):\n    return i\nf(0)\nf(1)\n") as d:
    d.do("break f")
    d.go()
    d.do("checkpoint")
    d.go()
    d.go("checkpoint go 1")
    left = next(r["process"] for r in d.rows("info checkpoints") if r["kind"] == "left")
    d.do("p 1")
    before = woken(left)
    d.do("p sum(range(20_000_000))")
    is_(woken(left), before, "the process that was started sleeps while another has its turn")
    d.do("delete")
    d.run_out()
done()
