#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Commands that move: step, next, finish, until, advance, continue, jump, with their counts and their refusals."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

PROG = """
    def inner(n):
        m = n + 1
        return m


    def loop(n):
        total = 0
        for k in range(n):
            total += inner(k)
        after = total
        return after


    a = loop(5)
    b = loop(2)
    print(a, b)
"""

with Cdbg(PROG) as d:
    d.do("break loop")
    d.go()
    d.go("next 2")
    is_(d.frame["line"], d.line_of("total += inner"), "next N goes so many lines")
    d.go("next 2")
    is_((d.frame["line"], d.text("p k")), (d.line_of("total += inner"), "1"), "round a loop too: it comes back to the line of the for")
    d.go("step 2")
    is_((d.frame["function"], d.frame["line"]), ("inner", d.line_of("return m")), "step N goes so many lines, into calls")
    d.go("until %d" % d.line_of("return m"))
    is_((d.reason, d.frame["function"]), ("return", "inner"), "until stops at the latest where the frame returns")
    d.go("next")
    is_((d.frame["function"], d.frame["line"]), ("loop", d.line_of("for k in")), "next from there continues in the caller, at its next line")
    d.go("until")
    is_(d.frame["line"], d.line_of("total += inner"), "until alone goes to a later line")
    d.go("until")
    is_((d.frame["function"], d.frame["line"]), ("loop", d.line_of("after = total")), "until leaves the loop")
    is_(d.text("p total"), "15", "and the loop has run to its end")
    stop = d.go("finish")
    is_((stop["reason"], stop["value"], d.frame["function"]), ("return", "15", "loop"), "finish stops at the return, value shown")
    like(d.error("finish now"), "takes no argument", "finish with an argument is refused")
    like(d.error("step x"), "invalid count", "step of something that is not a count is refused")
    like(d.error("step 0"), "invalid count", "a count of 0 is refused")
    like(d.error("advance"), "missing location", "advance alone is refused")
    like(d.error("continue 3"), "not stopped at a breakpoint", "continue N is refused where no breakpoint stopped the program")
    d.go("si")
    d.do("delete")
    d.go("advance inner")
    is_((d.frame["function"], d.text("p n")), ("inner", "0"), "advance goes to a function, whoever calls it")
    d.run_out()
    is_(d.out, "15 3\n", "the result is the same after it")

with Cdbg(PROG) as d:
    d.do("break inner")
    d.go()
    reply = d.do("continue 3")
    like(reply["text"], "next 2 hits are ignored", "continue N says what it ignores")
    d.wait()
    is_(d.text("p n"), "3", "continue N stops at the N-th hit from there")
    d.do("delete")
    d.do("frame 1")
    d.go("finish")
    is_((d.reason, d.frame["function"], d.stop.get("value")), ("return", "loop", "15"), "finish of a selected caller runs to its return")
    d.go("si")
    is_(d.frame["function"], "<module>", "stepi from the return goes to the caller")
    before = d.frame["offset"]
    d.go("ni 2")
    ok(d.frame["offset"] > before, "nexti N goes so many instructions")
    d.run_out()
    is_(d.exited["status"], 0, "the program ends well")

with Cdbg("""
    def f(x):
        if x:
            r = "taken"
        else:
            r = "not taken"
        for k in range(2):
            r += str(k)
        return r


    print(f(True))
""") as d:
    d.do("break %d" % d.line_of('r = "taken"'))
    d.go()
    target = d.line_of('r = "not taken"')
    like(d.text("jump %d" % target), r"r = \"not taken\"", "jump LINE shows where it went")
    is_([r["line"] for r in d.rows("info code") if r["current"]], [target], "the next instruction is the one jumped to")
    is_([r["line"] for r in d.rows("info frames") if r["current"]], [target], "the frame reports it too")
    d.go("next")
    is_(d.text("p r"), "'not taken'", "the program continues from there")
    like(d.error("jump %d" % d.line_of("r += str")), "jump", "a jump into a loop is refused")
    is_(d.frame["line"], d.line_of("for k in"), "and nothing changed")
    like(d.error("jump %d" % d.line_of("print(f(True))")), "other code", "a jump out of the function is refused")
    like(d.error("jump"), "missing location", "jump alone is refused")
    first = d.rows("info code")
    offset = [r["offset"] for r in first if r["line"] == d.line_of('r = "taken"')][0]
    d.do("jump *%d" % offset)
    is_([r["offset"] for r in d.rows("info code") if r["current"]], [offset], "jump *OFFSET goes to that instruction")
    d.do("up")
    like(d.error("jump %d" % target), "cannot jump in frame 1", "a frame that waits for a call cannot jump")
    d.do("down")
    d.do("delete")
    d.run_out()
    is_(d.out, "taken01\n", "the program saw every jump")
done()
