#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A program that traces itself gets every event it asked for, with cdbg and without."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

TRACES = """
    import sys
    events = []


    def tracer(frame, event, arg):
        if frame.f_code.co_filename == __file__:
            events.append((frame.f_code.co_name, event, frame.f_lineno))
        return tracer


    def opcodes(frame, event, arg):
        if frame.f_code.co_filename == __file__:
            frame.f_trace_opcodes = True
            events.append((frame.f_code.co_name, event, frame.f_lineno))
        return opcodes


    def leaf(n):
        n += 1
        return n


    def gen(n):
        for k in range(n):
            yield leaf(k)


    def late(n):
        sys.settrace(tracer)
        n = leaf(n)
        sys.settrace(None)
        return n


    def work():
        total = 0
        for v in gen(2):
            total += v
        try:
            raise ValueError
        except ValueError:
            total += 1
        return total


    sys.settrace(tracer)
    a = work()
    assert sys.gettrace() is tracer
    sys.settrace(None)
    b = late(1)
    sys.settrace(opcodes)
    c = leaf(1)
    sys.settrace(None)
    print(a, b, c, len(events))
    print(events)
"""
path = script(TRACES)
want = bare(path)[1]
like(want, r"^4 2 2 \d+", "the program traces itself")

with Cdbg(path) as d:
    d.run_out()
    is_(d.out, want, "left to run under cdbg it sees the same events")

with Cdbg(path) as d:
    for f in ("leaf", "gen", "late", "work"):
        d.do("break " + f)
    d.run_out()
    is_(d.out, want, "with a breakpoint in each function it sees the same events")
    ok(len(d.stops) > 6, "and each of them stops", len(d.stops))

with Cdbg(path) as d:
    d.do("break work")
    d.go()
    for _ in range(400):
        if d.exited:
            break
        d.go("stepi")
    if not d.exited:
        d.do("delete")
        d.run_out()
    is_(d.out, want, "stepped instruction by instruction it sees the same events")
done()
