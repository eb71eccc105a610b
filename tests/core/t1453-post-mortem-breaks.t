#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Breakpoints, watchpoints and `catch exception` in the record of a process that is gone."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from records import killed

TEXT = """\
import os, signal

def inner(k):
    r = k * 2
    if k == 3:
        os.kill(os.getpid(), signal.SIGKILL)

    return r + 1

class Box:
    def inner(self, k):
        if k == 1:
            raise ValueError(k)
        return k

def f(n):
    total = 0
    box = Box()
    for i in range(n):
        try:
            total += inner(box.inner(i))
        except ValueError:
            total += 100
    return total

f(5)
"""
path, record = killed(TEXT)
name = os.path.basename(path)


def where(stop):
    return stop["reason"], stop["frame"]["function"], stop["frame"]["line"]


with Cdbg(record, options=("-nx", "--post-mortem")) as d:
    like(d.do("break f")["text"], r"^breakpoint 1 at %s:17 \(f\)" % name, "a breakpoint on a function is set")
    like(d.do("break %s:4" % name)["text"], r"^breakpoint 2 at %s:4 \(inner\)" % name, "one on a line, too")
    is_([where(d.go("rcontinue")) + (d.text("print k"),) for _ in range(2)], [("breakpoint", "inner", 4, "3"), ("breakpoint", "inner", 4, "2")],
        "rcontinue goes to the hits of a line, newest first")
    is_([r["line"] for r in d.rows("info source") if r.get("breakpoint") == 2], [4], "the source has the mark of the breakpoint on its line")
    is_([(r["offset"], r["current"]) for r in d.rows("info code") if r.get("breakpoint") == 2], [(d.stop["frame"]["offset"], True)],
        "and the code the one on its instruction")
    is_(where(d.go("continue")) + (d.text("print k"),), ("breakpoint", "inner", 4, "3"), "continue to the next one")
    stop = d.go("continue")
    is_((stop["past"]["instructions"], stop["reason"], stop["frame"]["line"]), (0, "step", 6), "without another one to the last instruction")
    d.do("disable 2")
    is_(where(d.go("rcontinue")), ("breakpoint", "f", 17), "one that is disabled is passed; the function's first line is its hit")
    d.do("delete")
    like(d.do("break Box.inner")["text"], r"^breakpoint 3 at %s:12 \(Box.inner\)" % name, "a method is found by its qualified name")
    like(d.do("break %s:7" % name)["text"], r"^breakpoint 4 at %s:8 \(inner\)" % name, "of a line without code the next one is taken")
    rows = d.rows("info breakpoints")
    is_([(r["number"], r["where"], r["places"], r["pending"]) for r in rows], [(3, "Box.inner", 1, None), (4, "%s:7" % name, 1, None)], "info breakpoints lists them")
    is_([where(d.go("continue")) for _ in range(3)], [("breakpoint", "inner", 12), ("breakpoint", "inner", 8), ("breakpoint", "inner", 12)], "they are met in their order")
    d.do("delete")
    d.do("catch exception")
    stop = d.go("continue")
    is_(where(stop) + (stop["frame"]["opname"][:5],), ("exception", "inner", 13, "RAISE"), "catch exception stops at what raises, forwards")
    d.do("delete")
    d.go("rfinish")
    like(d.do("watch total")["text"], r"^watchpoint \d+: total of this call", "a variable of the frame is watched")
    stop = d.go("continue")
    is_(where(stop)[:2] + (d.text("print total"),), ("watch", "f", "101"), "and stops where it was written")
    is_(where(d.go("rcontinue"))[:2] + (d.text("print total"),), ("watch", "f", "1"), "backwards as well")
    d.do("delete")
    d.do("break 8")
    is_(d.rows("info breakpoints")[0]["where"], "8", "a line alone is one of the selected frame's file")
    d.do("delete")
    for command, reason in (("break nowhere", r"^the record has no code of 'nowhere'"), ("break %s:900" % name, r"^the record has no code of"),
                            ("break inner if k == 2", r"without a condition"), ("break *4", r"FILE:LINE, LINE, FUNC"),
                            ("break (lambda: 1)", r"FILE:LINE, LINE, FUNC"), ("tbreak f", r"record of a process that is gone"),
                            ("watch total + 1", r"^the past|record|variables and slots"), ("watch nothing", r"no variable 'nothing'"),
                            ("catch signal SIGINT", r"cannot tell of 'catch signal SIGINT': it has 'catch exception'"),
                            ("catch exception ValueError", r"cannot tell of"), ("tcatch exception", r"record of a process that is gone"),
                            ("condition 1 x", r"record of a process that is gone"), ("dprintf f, x", r"record of a process that is gone")):
        like(d.error(command), reason, "refused with the reason: " + command)
    is_(d.rows("info breakpoints"), [], "nothing that was refused is set")
done()
