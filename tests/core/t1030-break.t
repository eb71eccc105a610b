#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Breakpoints: made, counted, conditional, temporary, disabled, deleted, with commands, in every call and thread."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

PROGRAM = '''
    import threading

    def f(n):
        m = n + 1       # first
        return m        # second

    def waits():
        while 1:
            if not done: continue
            break
        return 5

    def spins(n):
        while 1:        # spins
            n -= 1
            if n > 0: continue
            return n

    def threaded(k):
        return k        # threaded

    done = 1
    for k in range(6):
        f(k)
    waits()
    spins(4)
    spins(2)
    ts = [threading.Thread(target=threaded, args=(k,)) for k in range(3)]
    for t in ts:
        t.start()
        t.join()
    print("end")
'''


def row(d, number):
    return [r for r in d.rows("info breakpoints") if r["number"] == number][0]


with Cdbg(PROGRAM) as d:
    first = d.line_of("# first")
    is_(d.do("break f")["text"].strip(), "breakpoint 1 at prog.py:%d (f)" % first, "the answer says where it waits")
    stops = [d.go() for _ in range(6)]
    is_([s["frame"]["line"] for s in stops], [first] * 6, "break FUNC stops at its first line")
    is_([s["reason"] for s in stops], ["breakpoint"] * 6, "the reason is breakpoint")
    is_([s["number"] for s in stops], [1] * 6, "with its number")
    is_(d.do("print n")["text"].strip(), "5", "it stops in each call, arguments readable")
    is_(row(d, 1)["hits"], 6, "each stop is a hit")
    d.run_out()
    is_(d.out, "end\n", "the program ends as ever")

with Cdbg(PROGRAM) as d:
    d.do("break waits")
    d.do("break spins")
    d.do("break threaded")
    d.go()
    is_(d.frame["function"], "waits", "a function that begins with a loop is stopped")
    d.go()
    is_((d.frame["function"], d.do("print n")["text"].strip()), ("spins", "4"), "and not again when the loop comes round")
    d.go()
    is_((d.frame["function"], d.do("print n")["text"].strip()), ("spins", "2"), "but in its next call")
    threads = [d.go()["thread"] for _ in range(3)]
    is_(len(set(threads) - {1}), 3, "a breakpoint stops in every thread")
    d.run_out()

with Cdbg(PROGRAM) as d:
    line = d.line_of("# second")
    d.do("break %d if n == 3" % line)
    d.go()
    is_(d.do("print m")["text"].strip(), "4", "a condition picks the call")
    is_(row(d, 1)["hits"], 1, "hits with a false condition are not counted")
    is_(row(d, 1)["condition"], "n == 3", "the condition is in the table")
    is_("status" in d.go(), True, "and stops in no other")

with Cdbg(PROGRAM) as d:
    d.do("break f if nosuch > 1")
    d.go()
    is_(d.reason, "breakpoint", "a condition that fails stops")
    ok(any("nosuch" in n["text"] and "breakpoint 1" in n["text"] for n in d.notes), "and reports it", d.notes)
    d.do("condition 1 n == 4")
    d.go()
    is_(d.do("print n")["text"].strip(), "4", "condition N EXPR replaces it")
    d.do("condition 1")
    d.go()
    is_(d.do("print n")["text"].strip(), "5", "condition N removes it")
    like(d.error("condition 1 n =="), "SyntaxError", "a syntax error in a condition is refused")
    is_(row(d, 1)["condition"], None, "and changes nothing")
    like(d.error("condition 9 n"), "no breakpoint '9'.*info breakpoints", "an unknown number names the remedy")
    d.run_out()

with Cdbg(PROGRAM) as d:
    d.do("break f")
    d.do("ignore 1 4")
    d.go()
    is_(d.do("print n")["text"].strip(), "4", "ignore N COUNT passes over COUNT hits")
    is_((row(d, 1)["hits"], row(d, 1)["ignore"]), (5, 0), "which are counted")
    like(d.error("ignore 1 x"), "invalid count", "a count must be a number")
    like(d.error("ignore 1 1 twice"), "'each' or 'once'", "what follows it is one of two words")
    d.run_out()

with Cdbg("def f(n):\n    return n\nfor i in range(6):\n    f(i)\n") as d:
    d.do("break f")
    d.do("ignore 1 1 each")
    seen = [d.go() and d.do("print n")["text"].strip() for i in range(2)]
    is_(seen, ["1", "3"], "each: as many are passed over after each stop")
    d.do("save breakpoints %s" % (kept := script("", "each.txt")))
    like(open(kept).read(), "^ignore .bpnum 1 each$", "... which is saved")
    d.do("ignore 1 0 once")
    d.go()
    is_(row(d, 1)["ignore"], 2**31 - 1, "once: it stops once")
    d.go()
    ok(d.exited, "... and no more")

with Cdbg(PROGRAM) as d:
    d.do("break f if n == 2")
    for line in ("commands", "  silent", "", "python", "for k in range(2):", "", "    print('at', n + k)", "end", "  continue", "end"):
        d.do(line)
    is_(row(d, 1)["commands"], ["python", "for k in range(2):", "", "    print('at', n + k)", "end", "continue"],
        "a python block inside commands has an end of its own")
    saved = os.path.join(os.path.dirname(d.path), "saved")
    d.do("save breakpoints " + saved)
    d.go()
    while not d.exited:
        d.wait()
    is_(d.out, "at 2\nat 3\nend\n", "and runs as it was written")
with Cdbg(PROGRAM, options=["-x", saved]) as d:
    is_(len(row(d, 1)["commands"]), 6, "it is saved and read as it was")
with open(saved, "w") as f:
    f.write("commands 77\npython\nprint('no')\nend\ncontinue\nend\nbreak waits\n")
with Cdbg(PROGRAM, options=["-x", saved]) as d:
    is_((d.reason, [r["number"] for r in d.rows("info breakpoints")]), ("start", [1]),
        "lines for a breakpoint that is not there are not run from a file; what follows them is")

with Cdbg(PROGRAM) as d:
    d.do("break f")
    for line in ("commands 1", "silent", "print n * 100", "continue"):
        d.do(line)
    is_(d.do("end")["ok"], True, "commands ... end are taken line by line")
    is_(row(d, 1)["commands"], ["print n * 100", "continue"], "and shown in the table")
    d.do("break waits")
    d.go()
    while d.frame["function"] != "waits":
        d.wait()
    is_(row(d, 1)["hits"], 6, "continue as the last one continues at each stop")
    d.run_out()

with Cdbg(PROGRAM) as d:
    d.do("break f")
    d.go()
    d.do("delete 1")
    is_("status" in d.go(), True, "a breakpoint may be deleted while it is being hit")

with Cdbg(PROGRAM) as d:
    d.do("break f")
    d.go()
    d.do("clear f")
    is_(d.rows("info breakpoints"), [], "clear FUNC deletes the breakpoint there")
    d.do("break spins")
    d.go()
    d.do("clear")
    is_(d.rows("info breakpoints"), [], "clear alone deletes the one at the current location")
    like(d.error("clear f"), "no breakpoint at 'f'", "clear of nothing is refused")
    d.run_out()

with Cdbg(PROGRAM) as d:
    d.do("break f if n == 3")
    d.do("ignore 1 0")
    d.do("tbreak spins")
    d.do("ignore 2 1")
    d.do("break prog.py:%d" % d.line_of("# second"))
    d.do("disable 3")
    for line in ("commands 3", "silent", "info locals", "end"):
        d.do(line)
    d.do("catch exception KeyError")
    d.do("break waits*2")
    saved = os.path.join(os.path.dirname(d.path), "saved")
    before = d.rows("info breakpoints")
    d.do("save breakpoints " + saved)
    d.do("delete")
    d.do("source " + saved)
    after = d.rows("info breakpoints")
    for r in before + after:
        r.pop("number")
    is_(after, before, "what save breakpoints writes makes them again")
    stop = d.go("restart")
    is_(stop["reason"], "start", "restart runs the program again")
    again = d.rows("info breakpoints")
    for r in again:
        r.pop("number")
    is_(again, before, "with all breakpoints kept")
    d.run_out()
done()
