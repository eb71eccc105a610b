#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A breakpoint after a graph call stops although Python code ran in between, in a finalizer or in a callback of the garbage
# collector: it may watch the frame, call the same function, or be stopped itself.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import gc
    import sys
    import torch

    early, late = [], []

    def nothing(frame, event, arg):
        return nothing

    class Dropped:
        def __del__(self):
            if late:
                late.pop()()

    def backend(gm, inputs):
        def graph(*args):
            if early:
                early.pop()()
            return (*gm(*args), Dropped())      # what generated code does not use, it drops before the branch
        return graph

    @torch.compile(backend=backend)
    def f(a, b):
        x = a / (torch.abs(a) + 1)
        if b.sum() < 0:
            b = b * -1
        return x * b

    def generated():
        frame = sys._getframe()
        while frame.f_code.co_name != "f":
            frame = frame.f_back
        return frame

    def hide():
        generated().f_trace_lines = False

    def watch():
        sys.settrace(nothing)
        frame = generated()
        frame.f_trace, frame.f_trace_lines = nothing, False

    def unwatch():
        watch()
        sys.settrace(None)

    def again():
        f(ones, minus)

    def fail():
        raise KeyError("k")

    def fails():
        early.append(fail)
        try:
            f(ones, minus)
        except KeyError:
            pass

    def mark(what):
        return what

    def each(list, *actions):
        for action in actions:
            list.append(action)
            f(ones, minus)
            assert not list
            sys.settrace(None)
            f(ones, minus)

    ones, plus, minus = torch.ones(3), torch.ones(3), -torch.ones(3)
    for i in range(3):
        f(ones, plus), f(ones, minus)
    mark("ready")
    each(late, generated)
    mark("its frame is looked at")
    each(late, hide, watch, unwatch)
    mark("its lines are hidden")
    each(late, again)
    mark("the function is called again")
    each(late, fails)
    mark("the function is called again and fails")
    each(early, generated, hide, watch, unwatch, again, fails)
    mark("the same in the graph function")
    gc.set_threshold(1)
    gc.callbacks.append(lambda phase, info: generated)
    for i in range(20):
        f(ones, minus)
    gc.callbacks.pop()
    gc.set_threshold(700)
    mark("garbage is collected all the time")
    sys.setprofile(lambda frame, event, arg: None)
    f(ones, minus), f(ones, minus)
    sys.setprofile(None)
    f(ones, minus)
    mark("a profiler is set")
    late.append(generated)
    f(ones, minus)
    late.append(generated)
    f(ones, minus)
    print(f(ones, plus).tolist(), f(ones, minus).tolist())
    mark("over")
"""
MANY = 100000

status, out, err = bare(PROGRAM)
is_((status, err if status else ""), (0, ""), "the program runs without cdbg")

with Cdbg(PROGRAM) as d:
    d.do("break mark")
    d.go()
    rows = d.rows("info code 0/0")
    taken = [r["offset"] for r in rows if r["region"] == "resume call"][0]
    last = [r["offset"] for r in rows if r["opname"] == "RETURN_VALUE"][0]
    d.do("break 0/0*%d" % taken)
    d.do("ignore 2 %d" % MANY)

    def hits():
        left = d.rows("info breakpoints")[1]["ignore"]
        d.do("ignore 2 %d" % MANY)
        return MANY - left

    for calls in 2, 6, 3, 2, 13, 20, 3:
        d.go()
        is_((d.frame["function"], hits()), ("mark", calls), "each call stops: " + d.rows("info locals")[0]["value"])
    d.do("ignore 2 0")
    d.do("tbreak generated")
    d.go()
    is_(d.frame["function"], "generated", "a function stops that the finalizer calls")
    d.go()
    is_((d.frame["function"], d.frame["offset"]), ("f", taken), "after that its caller stops")
    d.do("tbreak generated")
    d.go()
    d.do("disable 2")
    d.do("tbreak 0/0*%d" % last)
    d.go()
    is_((d.frame["function"], d.frame["offset"]), ("f", last), "a breakpoint that is set there stops its caller")
    d.do("delete")
    d.run_out()
    is_(d.out, out, "the results are those without cdbg")
done()
