#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""--dap=ADDRESS on a terminal: a person has the full screen there, and an editor is beside it."""
import os
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *  # noqa: E402,F403
from dap import Editor  # noqa: E402

where = tempfile.mkdtemp() + "/s.sock"
p = script("""
    def f(n):
        m = n + 1
        m = m * 2
        return m
    for i in range(50):
        print("out", f(i))
""")
at = line_of(p, "m = n + 1")

with Screen(p, options=["--dap=unix:" + where], rows=30, cols=100) as s:
    e = Editor(connect=where)
    e.begin("attach")
    made = e.configure({p: [at + 1]})[p]
    is_(e.event("stopped")["reason"], "entry", "the editor hears of the stop that the screen shows")
    s.line("info breakpoints").see("prog.py:%d" % (at + 1))
    ok("breakpoint  keep" in s.text, "a breakpoint of the editor is on the screen", lambda: s.text)
    e.ask("continue", threadId=1)
    is_(e.event("stopped")["hitBreakpointIds"], [made[0]["id"]], "the editor continues")
    s.see("stopped: breakpoint 1")
    s.settled()
    like(s.row("m = m \\* 2"), "m = m", "... and the screen shows where it stops")
    s.stopped("nexti", "step")
    is_([e.event("continued", "stopped")["event"] for i in range(2)], ["continued", "stopped"], "a step on the screen moves the editor")
    s.line("break %d" % (at + 2))
    new = e.event("breakpoint")
    is_((new["reason"], new["breakpoint"]["line"]), ("new", at + 2), "a breakpoint of the screen appears in the editor")
    locals_ = e.scopes(e.frames()[0]["id"])["Locals"]
    s.line("focus locals")
    e.ask("setVariable", variablesReference=locals_, name="n", value="4711")
    s.see("4711")
    like("\n".join(s.pane("locals")), r"n +4711 ", "a value that the editor changes is changed in the panes")
    s.keys(":")
    s.line("tui disable", wait=False)
    e.ask("next", threadId=1)
    e.event("stopped")
    e.breakpoints(p, [])
    e.ask("terminate")
    e.event("terminated")
    is_((s.ended(), e.wrong), (0, []), "on the command line after 'tui disable' the editor is served, too; terminate ends the program")
    e.close()

done()
