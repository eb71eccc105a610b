#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# While Dynamo compiles a function, its cache cannot change: a command that changes it, and Space on a guard that fails,
# waits for the compiled code.  One key does it.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()

PROGRAM = '''
    import torch

    class Net(torch.nn.Module):
        def forward(self, x, n):
            return self.scale(x, n) + 1
        def scale(self, x, n):
            return x * n

    def f(x, n):
        return x * n + 1

    def split(x, n):
        y = x * n
        torch._dynamo.graph_break()
        return y + n

    def calls(fn, *numbers):
        g = torch.compile(fn, backend="eager", dynamic=False)
        for n in numbers:
            g(torch.ones(3), n)
            print(getattr(fn, "__name__", "net"), n, flush=True)

    calls(f, 2, 3, 2, 3)
    calls(Net(), 2, 3)
    calls(split, 2, 3, 4)
    print("end", flush=True)
'''
WAITS = r"Dynamo is compiling %s: 'continue' runs '%s' where the compiled code begins, breakpoint \d+"


def failing(d, kind="EQUALS_MATCH"):
    """The number of the guard that fails at a recompile."""
    return next(r["guard"] for r in d.rows("info guards") if r["ok"] is False and r["kind"] == kind)


def at_recompile(d, number=None):
    number = number or int(re.search(r"catchpoint (\d+)", d.text("catch recompile")).group(1))
    while d.go().get("reason") != "recompile":
        if d.exited:
            d.trouble("no recompile")


with Cdbg(PROGRAM, limit=180) as d:
    at_recompile(d)
    n = failing(d)
    said = d.text("guard drop %d" % n)
    like(said, WAITS % ("f", "guard drop %d in 0/0" % n), "guard drop at a recompile says when it is done, and where")
    like(said, r"risk: value", "after what it would say elsewhere")
    like(d.text("guard drop EQUALS_MATCH in 0/0"), WAITS % ("f", "guard drop %d in 0/0" % n), "a pattern means the guards that are there now")
    like(d.text("guard add 0/0 n < 9"), WAITS % ("f", "guard add 0/0 n < 9"), "so does another change of the same function")
    like(d.text("entry prefer 0/0"), WAITS % ("f", "entry prefer 0/0"), "and of an entry")
    rows = [r for r in d.rows("info breakpoints") if r["type"] == "breakpoint"]
    is_(len(rows), 1, "they share one temporary breakpoint")
    is_(d.rows("info overrides"), [], "nothing is changed meanwhile")
    is_(d.go()["reason"], "breakpoint", "continue stops there")
    like(d.frame["entry"], r"^0/1$", "in the code that was compiled")
    d.do("info overrides")
    rows = d.rows("info overrides")
    is_([(r["action"], r["guard"], r["state"]) for r in rows], [("drop", n, "on"), ("add", None, "on"), ("prefer", None, "on")],
        "the changes are made")
    is_([r for r in d.rows("info breakpoints") if r["type"] == "breakpoint"], [], "and the breakpoint is gone")
    like(d.text("undo %d" % rows[1]["override"]), r"undone: add", "they are undone as others are")
    d.do("delete"), d.do("catch recompile")
    at_recompile(d)
    like(d.frame["function"], r"forward", "a method compiles again")
    like(d.text("guard drop %d" % failing(d)), WAITS % (r"Net\.forward", r"guard drop \d+ in 1/0"), "its guards are dropped, too")
    like(d.text("eager Net.forward"), WAITS % (r"Net\.forward", "eager forward"), "a function is made eager there")
    is_(d.go()["reason"], "breakpoint", "they are")
    is_([r["action"] for r in d.rows("info overrides") if r["state"] == "on"][-2:], ["drop", "eager"], "in its code")
    d.do("undo"), d.do("undo")
    d.do("delete"), d.do("catch recompile split")
    at_recompile(d)
    n = failing(d)
    d.do("guard drop %d" % n), d.do("catch graph-break")
    like(d.go()["reason"], r"graph.break", "another stop of the same compile may come first")
    like(d.text("guard drop %d" % n), WAITS % ("split", r"guard drop %d in \d/0" % n), "and the change still waits")
    while d.reason != "breakpoint" and not d.exited:
        d.go()
    ok(any(r["action"] == "drop" and r["guard"] == n and r["state"] == "on" for r in d.rows("info overrides")), "until the code begins")
    d.do("delete")
    d.run_out()
    like(d.out, r"(?s)f 2\nf 3\nf 2\nf 3\n.*end\n$", "the program runs to its end")

with Screen(PROGRAM, rows=24, cols=80, options=["-q"], limit=180) as s:
    s.line("catch recompile").stopped("continue", "recompile")
    s.line("focus guards").keys("g").keys("/EQUALS_MATCH\r")
    like(s.at, r"EQUALS_MATCH", "the guard that fails is selected")
    s.keys(" ")
    s.keys("\x1b")
    like(re.sub(r"\s+", " ", s.text), WAITS % ("f", r"guard drop \d in 0/0"), "Space on it says when it is dropped")
    s.stopped("continue", "breakpoint 2")
    s.line("info overrides")
    like(s.text, r"drop +.*on\b", "one key and continue drop it")
    s.keys("\x1b").line("focus guards").keys("g").keys("v")
    like(s.text, r"^\[answer\] row 1 of guards", "v on a heading shows it in full")
    unlike(s.text, r"no row of a pane is selected", "and does not say that no row is selected")
done()
