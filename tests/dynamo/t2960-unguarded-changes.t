#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# One change a case: where the second call runs stale code, info unguarded names a changed value; where it does not, none.
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
program = os.path.join(top, "tests", "lib", "one_line_changes.py")
named, unread = {}, []
with Cdbg(program, limit=300) as d:
    d.do("break changed")
    while d.go()["event"] == "stopped":
        if d.stop["reason"] != "breakpoint":
            d.trouble("the program raised")
        name = d.rows("info locals")[0]["value"].strip("'\"")
        reply = d.cmd("info unguarded")
        rows = reply.get("rows") or []
        named[name] = [(r["source"], r["was"], r["is"]) for r in rows if r["changed"]]
        if any(r["unread"] and (r["kind"] == "constant" or r["source"].startswith("L[")) for r in rows):
            unread.append(name)  # it cannot be compared without a call: it is listed
    out = d.out
stale = dict(line.rsplit(": ", 1) for line in out.splitlines() if ": " in line)
is_(sorted(set(stale) ^ set(named)), [], "each case was looked at between its two calls")
for name, how in stale.items():
    if how == "right":
        is_(named[name], [], "%s: nothing stale is reported" % name)
    else:
        ok(named[name] or name in unread, "%s: the change without a guard is named, or the result that was taken once" % name)
        note("%s: %s" % (name, named[name]))
note("%d cases: %d stale, %d of them named, %d false" % (
    len(stale), list(stale.values()).count("stale"), sum(h == "stale" and (bool(named[n]) or n in unread) for n, h in stale.items()),
    sum(h == "right" and bool(named[n]) for n, h in stale.items())))
done()
