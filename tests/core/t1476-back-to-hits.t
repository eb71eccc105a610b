#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""rcontinue goes to what would have stopped: breakpoints, watchpoints, exceptions; it says what no record tells."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

TEXT = """\
def half(x):
    if x < 0:
        raise ValueError(x)
    return x / 2

def f(n):
    total = 0.0
    other = []
    for i in range(n):
        try:
            total += half(i - 1)
        except ValueError:
            total = float("nan")
        other.append(i)
    try:
        other[7]
    except IndexError:
        pass
    return total

start = 1
f(3)
last = 1                                # stop
"""

with Cdbg(TEXT) as d:
    d.cmd("break %d" % d.line_of("start = 1"))
    d.go()
    d.do("record f half")
    d.cmd("break %d" % d.line_of("return total"))
    d.go()
    d.do("watch total")
    seen = []
    for i in range(2):
        stop = d.go("rcontinue")
        seen.append((stop["reason"], stop["frame"]["line"], d.text("print total")))
    is_(seen, [("watch", d.line_of('total = float("nan")'), "nan"), ("watch", d.line_of("other = []"), "0.0")],
        "rcontinue stops where a watched variable was written, newest first")
    stop = d.go("rcontinue")
    like(stop["past"]["remark"], "this is where the record begins", "... and at the beginning where there is no other")
    d.go("now")
    d.do("delete")
    d.cmd("break half if x > 100")
    stop = d.go("rcontinue")
    is_((stop["reason"], stop["frame"]["function"], d.text("print x")), ("breakpoint", "half", "1"), "a breakpoint")
    like(stop["past"]["remark"], "condition is not evaluated", "... whose condition is not evaluated")
    d.do("delete")
    d.do("catch exception")
    d.go("now")
    stop = d.go("rcontinue")
    is_((stop["reason"], stop["frame"]["line"]), ("exception", d.line_of("other[7]")), "an exception, at what raised it")
    like(stop["frame"]["opname"], "^BINARY_", "... the instruction")
    is_(stop["detail"]["type"], "IndexError", "... with its type")
    stop = d.go("rcontinue")
    is_((stop["reason"], stop["frame"]["function"], stop["frame"]["opname"]), ("exception", "half", "RAISE_VARARGS"), "the one before: in the innermost frame, once")
    is_(stop["detail"]["type"], "ValueError", "... whose type the handler tells")
    stop = d.go("rcontinue")
    like(stop["past"]["remark"], "this is where the record begins", "there is no other")
    stop = d.go("continue")
    is_((stop["reason"], stop["frame"]["function"]), ("exception", "half"), "continue goes forward to it")
    stop = d.go("continue")
    is_((stop["reason"], stop["frame"]["function"]), ("exception", "f"), "and to the next")
    d.do("catch signal")
    d.go("rcontinue")
    like(" ".join(n["text"] for n in d.notes), r"catchpoint \d+: the record cannot tell", "what no record tells is named")
    d.go("now")
    d.do("delete")
    d.run_out()

lines = TEXT.splitlines()
at = [i + 1 for i, text in enumerate(lines) if "start = 1" in text or "return total" in text]
status, out, err = run(script(TEXT), commands=["break %d" % at[1], "continue", "record f half", "break %d" % at[0], "continue", "delete", "watch total",
                                               "rcontinue", "delete", "now", "catch exception", "rcontinue", "quit"])
like(out, r"watchpoint \d+: total was 0.0, is now nan", "plain text has both values of a watchpoint")
like(out, r"exception IndexError", "and the exception's type")
done()
