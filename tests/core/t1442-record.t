#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Recording functions, and going back: by instructions, lines, calls, breakpoints; the past is only read."""
import os
import stat
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

TEXT = """\
def inner(k):
    r = k * 2
    return r + 1

def gen(n):
    for j in range(n):
        yield j

def f(n):
    total = 0
    for i in gen(n):
        try:
            if i == 1:
                raise ValueError(i)
            total += inner(i)
        except ValueError as e:
            total += 100
    s = "hello world"
    part = [1.5, None, total]
    return total

f(1)                                    # warm
print(f(4))
f(2)
last = 1                                # stop
"""


def screen(d):
    """What the views show of this moment."""
    def values(view):
        try:
            return [(r["value"], r["type"], r["kind"]) for r in d.rows(view)]
        except Trouble as e:
            return str(e)
    frames = [(r["function"], r["line"], r["offset"]) for r in d.rows("info frames")]
    return frames, values("info stack"), values("info locals"), [r["index"] for r in d.rows("info code") if r["current"]]


# What the user writes at a stop is not in what instructions did: the record takes it up at the next one.
with Cdbg(TEXT) as d:
    d.cmd("tbreak f")
    d.go()
    d.do("record f inner gen")
    d.go("next")
    d.go("next")
    d.do("set var total = 7000")
    for _ in range(8):
        d.go("stepi")
    here = screen(d)
    for _ in range(4):
        d.go("rstepi")
    ok(("7000", "int", "local") in screen(d)[2], "a variable that the user set has that value in the past, too", screen(d)[2])
    for _ in range(4):
        d.go("stepi")
    is_(screen(d), here, "and the way back leads to the present")
    d.do("delete")
    d.run_out()

with Cdbg(TEXT) as d:
    d.cmd("break %d" % d.line_of("# warm"))
    d.go()
    is_(d.error("rstepi"), "nothing is recorded: 'record' begins", "without a record there is no way back")
    like(d.text("record f inner gen"), r"recording f, inner, gen", "functions are recorded")
    d.cmd("break %d" % d.line_of("# stop"))
    d.go()
    facts = {r["what"]: r["value"] for r in d.rows("info record")}
    ok(facts["instructions"] > 200 and facts["code objects"] == 3, "info record counts", facts)
    present = screen(d)
    stop = d.go("rstepi")
    is_((stop["past"]["instructions"], stop["frame"]["function"], stop["frame"]["opname"]), (-1, "f", "RETURN_VALUE"),
        "one instruction back is the return of the last call")
    is_(stop["past"]["call"], 3, "it is the third call")
    is_(d.rows("info stack")[0]["value"], "101", "with its value on the stack")
    names = {r["name"]: r["value"] for r in d.rows("info locals")}
    is_((names["n"], names["total"], names["s"], names["part"]), ("2", "101", "'hello wo'... (11)", "list of 3~"),
        "and the variables as they were")
    ok("e" not in names, "without one that is unbound")
    is_(d.text("print total"), "101", "a bare name is answered from the record")
    is_(d.text("print $0"), "101", "and a slot")
    like(d.text("whatis part"), r"^list: list of 3~$", "whatis tells the type")
    for line in ("print total + 1", "total += 1", "set var total = 1", "set stack 0 = 1", "jump *2", "until", "stepg"):
        like(d.error(line), r"this is the past, 1 instruction ago, which can only be read: 'now' returns", "'%s' is refused" % line)
    stop = d.go("rfinish")
    like(stop["past"]["remark"], r"its caller is not recorded", "a frame whose caller is not recorded goes to its beginning")
    stop = d.go("now")
    ok("past" not in stop and stop["frame"]["line"] == d.line_of("# stop"), "now returns to the present")
    is_(screen(d), present, "which is as it was")
    stop = d.go("rstep")
    is_(stop["frame"]["line"], d.line_of("return total"), "a step back by lines goes to the beginning of a line")
    stop = d.go("rstep")
    is_(stop["frame"]["line"], d.line_of("part = "), "and of the line before")
    d.go("rnext")
    stop = d.go("rnext")
    is_(stop["frame"]["line"], d.line_of("for i in gen"), "rnext does not go into what was called")
    d.cmd("break inner")
    stop = d.go("rcontinue")
    is_((stop["reason"], stop["frame"]["function"], d.text("print k")), ("breakpoint", "inner", "0"), "rcontinue goes to a hit")
    is_([r["function"] for r in d.rows("info frames")], ["inner", "f"], "with the frame that called it")
    is_(d.text("up") and d.text("print total"), "0", "whose variables are those of then")
    stop = d.go("rfinish")
    is_(stop["frame"]["line"], d.line_of("inner(i)"), "rfinish goes to the call")
    stop = d.go("continue")
    is_(stop["frame"]["function"], "inner", "continue goes forward to the next hit, in the record")
    stop = d.go("finish")
    is_(stop["frame"]["opname"], "RETURN_VALUE", "finish to the return")
    number = stop["past"]["number"]
    d.go("now")
    is_(d.go("go #%d" % number)["frame"]["function"], "inner", "go #N goes to a number")
    is_(d.go("go -3")["past"]["instructions"], -3, "go -N to so many before")
    like(d.error("go -1000000"), r"the record has instructions #0 to #\d+", "not beyond the record")
    d.go("now")

    back, wrong = [], []
    for i in range(facts["instructions"]):
        d.go("rstepi")
        back.append(screen(d))
    like(d.error("rstepi"), r"the record begins here", "there is a first instruction")
    for i in range(facts["instructions"] - 1):
        d.go("stepi")
        if screen(d) != back[-2 - i]:
            wrong.append((i, back[-2 - i], screen(d)))
    ok(not wrong and len(back) > 200, "%d instructions back and forward give the same screens, with exceptions and a generator" % len(back),
       wrong[:2])
    ok("past" not in d.go("stepi"), "then the present")
    name = d.path + ".record"
    d.cmd("record save %s" % name)
    mode = os.stat(name)
    ok(stat.S_IMODE(mode.st_mode) == 0o600 and mode.st_size > 1 << 20, "record save writes a file that others cannot read")
    os.unlink(name)
    d.cmd("record off")
    like(d.error("rstepi"), r"nothing is recorded", "record off ends it")
    d.cmd("record all")
    d.go("next")
    ok({r["what"]: r["value"] for r in d.rows("info record")}["recorded"] == "all code", "another record can begin")
    ok("past" in d.go("rstepi"), "which has the frames that run already")
    d.go("now")
    d.go()

lines = TEXT.splitlines()
status, out, err = run(script(TEXT), commands=["tbreak %d" % (lines.index(next(l for l in lines if "# warm" in l)) + 1), "continue", "record f",
                                               "break %d" % len(lines), "continue", "rstepi 4", "quit"])
like(out, r"PAST -4 instructions \(call 3 of f, [\d.]+ \w+ ago\): read-only, 'now' returns", "plain text says that it is the past")
done()
