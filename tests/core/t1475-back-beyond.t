#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Going back further than the record reaches: the last checkpoint before that, and from there on to the instruction."""
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from family import all_gone, processes  # noqa: E402

TEXT = """\
import os, random
random.seed(5)
seen = []
hard = int(os.environ.get("HARD", "0"))
def inner(k):
    r = k * 2 + random.random()
    seen.append(r)
    return r
def f(n):
    total = 0.0
    for i in range(n):
        total += inner(i)
        if hard and os.path.exists(__file__ + ".other"):
            total += 1000
    return total
f(1)
first = f(30)
second = f(1000)
done = True
"""


def screen(d):
    def values(view):
        return [(re.sub("0x[0-9a-f]+", "0x", r["value"] or ""), r["type"], r["kind"]) for r in d.rows(view)]
    frames = [(r["function"], r["line"], r["offset"]) for r in d.rows("info frames")]
    return frames, values("info stack"), values("info locals")


def number(d):
    return d.rows("info history 1")[-1]["number"]


def begin(d, *others):
    d.cmd("set record-size 64")
    d.cmd("break %d" % d.line_of("first = f"))
    d.go()
    d.do("record f inner")
    for line in others:
        d.do(line)


# the screens of the first instructions, as they are
with Cdbg(TEXT) as d:
    begin(d, "break f")
    d.go()
    real = {}
    for i in range(60):
        d.go("stepi")
        real[number(d)] = screen(d)
    d.do("quit")
ok(len(real) == 60, "60 instructions of the first call")

with Cdbg(TEXT) as d:
    begin(d)
    d.cmd("break %d" % d.line_of("done = True"))
    d.go()
    last = number(d)
    like(d.error("rstepi %d" % (last + 1)) or "", "^$", "without a checkpoint a long step back goes as far as the record")
    first = number(d)
    ok(first > 1000, "which has lost its beginning", first)
    like(d.error("rstepi"), r"the record begins here, at #\d+, and no checkpoint is before that: .*'checkpoint'", "there it says what would help")
    like(d.error("go #30"), r"no checkpoint is before that", "as does a number before it")
    d.do("quit")

with Cdbg(TEXT) as d:
    begin(d, "checkpoint")
    d.cmd("break %d" % d.line_of("done = True"))
    d.go()
    future = d.do("p (second, len(seen))")["text"]
    for n in (50, 20, 21, 7):
        stop = d.go("go #%d" % n)
        ok("past" not in stop and number(d) == n, "go #%d goes to the checkpoint and on to that instruction" % n, (stop, number(d)))
        is_(screen(d), real[n] if n in real else screen(d), "... with the screen of then")
        d.cmd("tbreak %d" % d.line_of("done = True"))
        d.do("delete 2")
        d.cmd("break %d" % d.line_of("done = True"))
        d.go()
        is_(d.do("p (second, len(seen))")["text"], future, "... from there the same happens again")
    is_([n["text"] for n in d.notes if "differs" in n["text"]], [], "the way is the same")
    at = int(re.search(r"#(\d+) to", d.error("go -100000000")).group(1))
    ok("past" in d.go("go #%d" % at), "the first instruction of the record is looked at in it")
    stop = d.go("rstepi")
    is_((number(d), "past" in stop), (at - 1, False), "rstepi at the first instruction of the record goes to the one before it")
    is_(d.do("p len(seen) > 900")["text"], "True", "and expressions can be evaluated there")
    d.go("stepi")
    is_(number(d), at, "stepi goes on from there")
    pids = list(processes(d).values())
    d.do("quit")
is_(all_gone(pids), [], "no process is left")

# by lines, calls and hits
with Cdbg(TEXT) as d:
    begin(d, "checkpoint")
    d.cmd("break %d" % d.line_of("done = True"))
    d.go()
    d.cmd("break f")
    stop = d.go("rcontinue")
    is_(("past" in stop, stop["reason"]), (False, "step"), "rcontinue without a hit in the record goes to the checkpoint, and on to where it was")
    hops = 0
    while stop["reason"] != "breakpoint":
        stop, hops = d.wait(), hops + 1
    ok(hops > 3, "... from there to the one before, as often as needed", hops)
    is_((stop["reason"], stop["frame"]["function"], stop["frame"]["line"]), ("breakpoint", "f", d.line_of("total = 0.0")), "... and from there back to the hit")
    is_(d.do("p n")["text"], "1000", "of the last call")
    d.do("quit")

# by lines and calls, over what the record has lost
MORE = """
    def long(n):
        for i in range(n):
            n = n + i
        return n
    def outer(i):
        k = i + 1
        k = long(3000) + k
        at = 1
        return k
    start = 1
    outer(1)
"""
for line, stop_at in (("rnext", "at = 1"), ("rfinish", "return n")):
    with Cdbg(MORE) as d:
        d.cmd("set record-size 64")
        d.cmd("break %d" % d.line_of("start = 1"))
        d.go()
        d.do("record outer long")
        d.do("checkpoint")
        d.cmd("break %d" % d.line_of(stop_at))
        d.go()
        stop = d.go(line)
        while "past" not in stop or stop["frame"]["function"] != "outer":
            stop = d.wait()
        is_((stop["frame"]["line"], d.text("print k")), (d.line_of("k = long"), "2"), "%s over a long call" % line)
        d.do("quit")

# another way
p = script(TEXT, "other.py")
with Cdbg(program=p, env=dict(os.environ, HARD="1")) as d:
    d.cmd("set record-size 64")
    d.cmd("break 17")
    d.go()
    d.do("record f inner")
    d.do("checkpoint")
    d.cmd("break 19")
    d.go()
    open(p + ".other", "w").close()
    d.go("go #200")
    d.go()
    note = [n["text"] for n in d.notes if "differs" in n["text"]]
    ok(len(note) == 1, "where something else happens, it is said once", d.notes)
    like("".join(note), r"from instruction #\d+ on, or before, the way differs from the record: it had \w+ at offset \d+ there, now it is \w+ at offset \d+", "... and where")
    d.do("quit")
done()
