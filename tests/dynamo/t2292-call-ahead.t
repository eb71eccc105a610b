#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Generated code whose breakpoint comes after the call of a graph function is not traced until that call returns, and stops
# all the same: on each branch, in a later call, after an exception, and when a breakpoint is set while the call runs.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import sys
    import threading
    import torch

    fail, watch = [], []

    def trace(frame, event, arg):
        return None

    def backend(gm, inputs):
        def graph(*args):
            inside()
            if fail:
                raise fail.pop()
            if watch:
                watch.pop()
                sys.settrace(trace)
            return gm(*args)
        return graph

    @torch._dynamo.disable(recursive=False)
    def inside():
        return 1

    @torch.compile(backend=backend)
    def f(a, b):
        x = a / (torch.abs(a) + 1)
        if b.sum() < 0:
            b = b * -1
        return x * b

    def mark(what):
        return what

    ones, plus, minus = torch.ones(3), torch.ones(3), -torch.ones(3)
    for i in range(3):
        f(ones, plus), f(ones, minus)
    mark("ready")
    print(f(ones, plus).tolist(), f(ones, minus).tolist())
    mark("fails")
    fail.append(KeyError("k"))
    try:
        f(ones, minus)
    except KeyError:
        print("raised")
    print(f(ones, minus).tolist())
    mark("traced")
    watch.append(1)
    f(ones, minus)
    sys.settrace(None)
    mark("threads")
    threads = [threading.Thread(target=lambda: [f(ones, minus) for i in range(20)]) for i in range(3)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    mark("set inside")
    f(ones, plus)
    mark("over")
"""

status, out, err = bare(PROGRAM)
is_(status, 0, "the program runs without cdbg")


def marked(d, what):
    d.go()
    is_(d.frame["function"], "mark", "stops before: " + what)


with Cdbg(PROGRAM) as d:
    d.do("break mark")
    d.go()
    rows = d.rows("info code 0/0")
    calls = [r["offset"] for r in rows if r["region"] == "resume call"]
    taken = calls[0]
    entry_end = [r["offset"] for r in rows if r["opname"] == "RETURN_VALUE"]
    k = [i for i, r in enumerate(rows) if r["opname"] == "CALL"][-1]
    around = [r["offset"] for r in (rows[k - 2], rows[k], rows[k + 1])]
    for offset in around:
        d.do("tbreak 0/0*%d" % offset)
    is_([(d.go(), d.frame["offset"])[1] for _ in around], around, "instructions before, at and after the call stop")
    d.do("break 0/0*%d" % taken)
    d.go()
    is_((d.frame["function"], d.frame["offset"]), ("f", taken), "the branch that is taken stops, not the other one")
    marked(d, "a call that fails")
    d.go()
    is_((d.frame["function"], d.frame["offset"]), ("f", taken), "the call after one that raised an exception stops")
    is_("raised" in d.out, True, "the exception reached the program")
    marked(d, "a function called inside sets a tracer")
    d.go()
    is_((d.frame["function"], d.frame["offset"]), ("f", taken), "it stops although a tracer was set meanwhile")
    marked(d, "threads")
    d.do("ignore 5 59")
    d.go()
    is_((d.frame["function"], d.frame["offset"]), ("f", taken), "the last of 60 calls in three threads stops")
    marked(d, "a breakpoint set inside")
    d.do("tbreak inside")
    d.go()
    is_(d.frame["function"], "inside", "a function stops that the graph function calls")
    d.do("tbreak 0/0*%d" % entry_end[-1])
    d.go()
    is_((d.frame["function"], d.frame["offset"]), ("f", entry_end[-1]), "a breakpoint that is set there stops its caller")
    marked(d, "the end")
    d.do("delete")
    d.run_out()
    is_(d.out, out, "the results are those without cdbg")
done()
