#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Torch's own bytecode debugger at the same time, before, during and after cdbg's work: neither loses an event, and tool
ids of sys.monitoring are given back."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
if version() < (3, 12):
    skip_all("no sys.monitoring on CPython %d.%d" % version())

PROGRAM = '''
    import builtins, contextlib, io, sys
    import torch
    try:
        from torch._dynamo.bytecode_debugger import debug
    except ImportError:
        print("not in this version of torch")
        sys.exit()

    @torch.compile(backend="eager")
    def f(x):
        y = x.sin() + 1
        print(end="")                   # breaks
        return y * 2

    prompts = 0

    def answer(*prompt):
        global prompts
        prompts += 1
        return "s"

    def stop(where):
        return where                    # here

    x = torch.ones(3)
    f(x), f(x)
    builtins.input = answer
    stop("before")
    with contextlib.redirect_stdout(io.StringIO()), debug():
        stop("during")
        f(x)
    first = prompts
    stop("after")
    f(x)
    stop("end")
    free = not any(sys.monitoring.get_tool(k) for k in range(6))
    print("prompts", first, free)   # the other's callbacks stay, and print, after its end
'''

status, out, err = bare(PROGRAM)
if "not in this version of torch" in out:
    skip_all("this torch has no bytecode debugger")


def told(out):
    """How often the other prompted, and whether all tool ids are free in the end."""
    words = [l for l in out.splitlines() if l.startswith("prompts ")][0].split()
    return int(words[1]), words[2]


alone = told(out)[0]
ok(alone > 20 and told(out)[1] == "True", "alone it prompts at each instruction", out + err[-500:])


def session(at):
    """The breakpoint on f is set at stop(at): (its stops, prompts of the other, are all ids given back)."""
    with Cdbg(PROGRAM) as d:
        d.do("break stop")
        hits = 0
        while not d.exited:
            d.go()
            if d.frame.get("function") == "stop" and d.text("print where").strip("'\"\n") == at:
                d.do("break f")
            elif d.frame.get("function") == "stop" and d.text("print where").strip("'\"\n") == "end":
                d.do("delete")
            hits += d.frame.get("function") == "f"
        return (hits, *told(d.out))


for at, hits, what in (("before", 2, "armed before the other starts"), ("during", 2, "armed while the other has started"),
                       ("after", 1, "armed after the other has ended")):
    is_(session(at), (hits, alone, "True"), "%s: all stops, all prompts, ids given back" % what)


def walk(at):
    """Offsets of the generated code that stepi passes in the first call of f after stop(at); prompts of the other."""
    with Cdbg(PROGRAM) as d:
        d.do("break stop")
        while d.text("print where").strip("'\"\n") != at if d.frame.get("function") == "stop" else True:
            d.go()
        d.do("delete")
        d.do("tbreak f")
        d.go()
        seen = []
        while d.frame.get("kind") == "generated":
            if d.reason != "return":
                seen.append((d.frame["entry"], d.frame["offset"]))
            d.go("nexti")
        d.run_out()
        return seen, told(d.out)[0]


without, _ = walk("after")
ok(len(without) > 20, "nexti walks through the generated code", without)
is_(walk("before"), (without, alone), "with the other there, which prompts at each, it walks the same way")
is_(walk("during"), (without, alone), "and when the other was there first")
done()
