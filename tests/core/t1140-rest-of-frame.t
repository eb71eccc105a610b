#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A frame that cannot reach a breakpoint any more: it costs little, and stops again when a breakpoint is set ahead of it."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from spent import TIMED, spent  # noqa: E402

MANY = "; ".join(["y = x", "x = y"] * 60)
PROGRAM = """
    def meet():
        return 1


    def passes(flag):
        if flag:
            return "first"
        meet()
        a = 1
        meet()
        b = 2
        return a + b


    def handles(flag):
        try:
            if flag:
                return "flagged"
            meet()
            raise KeyError("k")
        except KeyError:
            caught = 1
        return caught


    def branch(flag):
        x = 0
        if flag:
            x = 1  # never
        %s
        return x


    def other(flag):
        x = 0
        if flag:
            x = 1
        %s
        return x


%s


    def begin():
        return 1


    begin()
    print(passes(False), handles(False))
    begin()
    timed(branch, other)
""" % (MANY, MANY, TIMED)

with Cdbg(PROGRAM) as d:
    d.do("tbreak begin")
    d.go()
    d.do("break %d" % d.line_of('return "first"'))
    d.do("break meet")
    d.go()
    is_(d.frame["function"], "meet", "a call after a branch that was not taken is stopped in")
    d.do("tbreak %d" % d.line_of("a = 1"))
    d.go()
    is_(d.frame["line"], d.line_of("a = 1"), "a breakpoint set ahead of its caller, which could reach none, stops there")
    d.do("break %d" % d.line_of("b = 2"))
    d.do("delete 3")
    d.go()
    is_(d.frame["line"], d.line_of("b = 2"), "and so does the next one in the same frame")
    d.go("next")
    is_(d.frame["line"], d.line_of("return a + b"), "next continues from there")
    d.do("break %d" % d.line_of("caught = 1"))
    d.go()
    is_(d.frame["line"], d.line_of("caught = 1"), "a handler is reached by an exception")
    d.do("delete")
    d.do("tbreak begin")
    d.go()
    d.do("break %d" % d.line_of("# never"))
    d.run_out()
    armed, plain = spent(d)
    ok(armed < 3.5 * plain, "what can no longer reach a breakpoint runs at full speed: %.2f" % (armed / plain))
done()
