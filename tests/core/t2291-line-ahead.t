#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Before a line with a breakpoint: the instructions of the lines before it cost less, and it stops however it is reached."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from spent import TIMED, spent  # noqa: E402

LONG = """
    def %s(flag):
        x = %s; y = 1; %s
        if flag:
            return y  # not reached in %s
        return x
"""
PROGRAM = """
    import sys


    def meet():
        return 1  # met


    def falls(x):
        a = x + 1; b = a + 1; meet(); c = a + b
        first = a + b
        return first


    def jumps(flag):
        x = 1; y = x + 1; z = x if flag else y
        for i in range(2): x += i; z += x
        if z > 100: return x
        second = z
        return second


    def handled(x):
        try: y = x + 1; z = 1 / x
        except ZeroDivisionError: third = 1; fourth = 2
        return x


    def nothing(frame, event, arg):
        return nothing


    def traced(x):
        a = x + 1; b = a + 1; sys.settrace(nothing); frame = sys._getframe(); frame.f_trace_lines = False; c = a
        fifth = c
        sys.settrace(None)
        return fifth


    def hides():
        sys.settrace(nothing)
        sys._getframe(1).f_trace_lines = False


    def hidden(x):
        a = x + 1; b = a + 1; hides(); c = a
        sixth = c
        sys.settrace(None)
        return sixth


    def own(x):
        a = x + 1; b = a + 1; frame = sys._getframe(); frame.f_trace_lines = False; c = a
        seventh = c
        return seventh


    def named(x):
        a = x + 1; b = a + 1; setattr(sys._getframe(), "f_trace_lines", False); c = a
        eighth = c
        return eighth


%s


%s


    def begin():
        return 1


    begin()
    falls(1), falls(2), jumps(0), handled(0), handled(0), traced(1), hidden(1), own(1), named(1)
    begin()
    timed(plain, ahead, every)
""" % ("\n\n".join(LONG % (name, first, "; ".join(["y = x", "x = y"] * 600), name) for name, first in (
    ("plain", 0), ("ahead", 0), ("every", "'f_trace_lines'"))), TIMED)


def at(d, text, what):
    d.go()
    is_((d.frame or {}).get("line"), d.line_of(text), what)


with Cdbg(PROGRAM) as d:
    d.do("tbreak begin")
    d.go()
    for text in "first = a", "second = z", "fifth = c", "sixth = c", "seventh = c", "eighth = c":
        d.do("break %d" % d.line_of(text))
    at(d, "first = a", "a line after others stops")
    d.do("break meet")
    at(d, "# met", "in the next call, a function called from the line before stops")
    d.do("tbreak %d" % d.line_of("return first"))
    d.do("disable 2")
    at(d, "return first", "a breakpoint that is set there stops the caller in another line, the first one disabled")
    d.do("delete 8")
    at(d, "second = z", "a line stops after a loop and branches that were made on other lines")
    d.do("break %d" % d.line_of("third = 1"))
    at(d, "third = 1", "a line stops that an exception leads to")
    d.go("stepi")
    middle = d.frame["offset"]
    d.do("delete 10")
    d.do("tbreak *%d" % middle)
    d.go()
    is_(d.frame["offset"], middle, "an instruction in the middle of a line stops")
    at(d, "fifth = c", "a line stops after a tracer was set in the line before that hides lines")
    at(d, "sixth = c", "and after a called function has done so")
    at(d, "seventh = c", "a line stops after the line before it has hidden the lines, with no tracer")
    at(d, "eighth = c", "and after it has done so by setattr()")
    d.do("delete")
    d.do("tbreak begin")
    d.go()
    for name in "ahead", "every":
        d.do("break %d" % d.line_of("# not reached in " + name))
    d.run_out()
    plain, ahead, every = spent(d)
    ok(ahead < 0.7 * every or ahead < 2 * plain, "lines before it cost less than an event for each instruction",
       "ahead %d, without a breakpoint %d, where no line is skipped %d ns" % (ahead, plain, every))
done()
