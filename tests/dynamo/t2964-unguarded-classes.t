#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# One change of a class a case: where the second call runs stale code, info unguarded names what changed; where it does not, nothing.
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
program = os.path.join(top, "tests", "lib", "class_changes.py")
named = {}
with Cdbg(program, limit=300) as d:
    d.do("break changed")
    while d.go()["event"] == "stopped":
        if d.stop["reason"] != "breakpoint":
            d.trouble("the program raised")
        name = d.rows("info locals")[0]["value"].strip("'\"")
        named[name] = [(r["source"], r["was"], r["is"]) for r in d.cmd("info unguarded").get("rows") or [] if r["changed"]]
    out = d.out
said = dict(line.rsplit(": ", 1) for line in out.splitlines() if ": " in line)
is_(sorted(set(said) ^ set(named)), [], "each case was looked at between its two calls")
for name, how in said.items():
    if how == "stale":
        ok(named[name], "%s: the change without a guard is named" % name)
    else:
        is_(named[name], [], "%s: nothing stale is reported" % name)
    note("%s: %s %s" % (name, how, named[name]))
note("%d cases: %d stale, %d of them named, %d false" % (
    len(said), list(said.values()).count("stale"), sum(how == "stale" and bool(named[n]) for n, how in said.items()),
    sum(how != "stale" and bool(named[n]) for n, how in said.items())))
done()
