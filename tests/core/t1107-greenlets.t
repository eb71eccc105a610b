#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Greenlets switch C stacks: calls of the hooks end in any order, and their stack frames move.  The program goes on as
it does without cdbg, and breakpoints and steps stop in each of them."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

if not has("greenlet"):
    skip_all("no greenlet")

PROG = """
    import greenlet
    main = greenlet.getcurrent()
    def leaf(n):
        return main.switch(n)
    def work(n):
        got = leaf(n)
        got += leaf(n + 100)
        return got
    def sort(a):
        return sorted(a, key=lambda g: -id(g) % 7)
    def rounds(k):
        gs = [greenlet.greenlet(work) for i in range(8)]
        out = [g.switch(i) for i, g in enumerate(gs)]
        for g in gs[::2] + gs[1::2]:
            out.append(g.switch(1))
        for g in reversed(gs):
            out.append(g.switch(2))
        dead = sum(g.dead for g in gs)
        half = greenlet.greenlet(work)
        half.switch(k)
        del half
        return out, dead
    for k in range(3):
        print(rounds(k))
    print("end")
"""
want = bare(PROG)[1]


def same(commands, most, name):
    """The program under these commands, each stop answered by the last one, at most so often."""
    with Cdbg(PROG) as d:
        for line in commands[:-1]:
            d.do(line)
        stops = 0
        stop = d.go(commands[-1])
        while stop and stop.get("event") == "stopped":
            stops += 1
            if stops == most:
                d.do("delete")
            stop = d.go(commands[-1] if stops < most else "continue")
        is_(d.out, want, name)
    return stops


n = same(["break work", "continue"], 1000, "a breakpoint in greenlets that switch changes nothing")
is_(n, 27, "it stops in each greenlet once")
n = same(["break leaf", "break work", "continue"], 1000, "breakpoints in caller and callee change nothing")
ok(n > 60, "they stop in each greenlet")
same(["break work", "break rounds", "step"], 400, "steps through switches change nothing")
same(["break leaf", "stepi"], 900, "instruction steps through switches change nothing")
same(["catch exception", "continue"], 100, "a catchpoint for exceptions changes nothing")
done()
