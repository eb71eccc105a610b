#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An editor beside a prompt: it hears of breakpoints on functions, and a line that is being typed outlives its commands."""
import os
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from dap import Editor  # noqa: E402

where = tempfile.mkdtemp() + "/s.sock"
p = script("""
    def f(n):
        m = n + 1
        return m
    def g(n):
        return f(n) + 1
    for i in range(3):
        g(i)
    import late
    late.h()
""")
script("""
    def h():
        return 1
""", "late.py", os.path.dirname(p))
at = line_of(p, "m = n + 1")

with Terminal(p, options=("--plain", "--dap=unix:" + where), env={"TERM": "xterm", "NO_COLOR": "1"}) as t:
    t.expect("listening on unix:")
    t.expect(r"\(cdbg\) ")
    e = Editor(connect=where)
    e.begin("attach")
    e.configure()
    e.event("stopped")

    # ---- breakpoints ----
    t.line("break f")
    new = e.event("breakpoint")
    b = new["breakpoint"]
    is_((new["reason"], b["verified"], b["line"], b["source"]["path"]), ("new", True, at, p), "a breakpoint on a function that the prompt sets appears in the editor, on its line")
    t.line("break late.h")
    late = e.event("breakpoint")["breakpoint"]
    is_((late["verified"], "line" in late), (False, False), "one that is pending appears, too")
    again = e.breakpoints(p, [at])
    is_(again[0]["id"], b["id"], "the editor's own on that line is the same one")
    t.line("info breakpoints")
    t.expect(r"2 +breakpoint[^\n]*late.h")
    unlike(t.text, r"(?m)^ *3 ", "... and none is made twice")

    # ---- a line ----
    t.send("print 'half ")
    t.expect("print 'half ")
    e.ask("continue", threadId=1)
    is_(e.event("stopped")["hitBreakpointIds"], [b["id"]], "the editor continues while a line is typed")
    t.expect(r"stopped: breakpoint 1[\s\S]*\(cdbg\) ")
    ok(t.expect("print 'half "), "the line is at the prompt of the next stop")
    t.line("and half'")
    ok(t.expect(r"^'half and half'$"), "... and is completed there")
    t.expect(r"\(cdbg\) ")
    t.send("print n\x01")
    e.ask("next", threadId=1)
    e.event("stopped")
    t.expect(r"\(cdbg\) [\s\S]*print n")
    t.send("\x03")
    t.expect(r"\^C\s+\(cdbg\) ")
    t.line("print 6 * 7")
    ok(t.expect(r"^42$"), "Ctrl-C drops it there as elsewhere")
    e.breakpoints(p, [])
    t.expect("deletes breakpoint 1")
    e.ask("continue", threadId=1)
    changed = e.event("breakpoint")
    while changed["breakpoint"]["id"] != late["id"]:
        changed = e.event("breakpoint")
    is_((changed["reason"], changed["breakpoint"]["line"]), ("changed", 2), "the pending one has its line when the function is there")
    is_(e.event("stopped")["reason"], "breakpoint", "and stops")
    is_(e.wrong, [], "all messages are as the protocol says")
    e.close()
done()
