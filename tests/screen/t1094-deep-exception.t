#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Post mortem of an exception that comes from deep down: the frame that raised it is shown, and what is left out is reported.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *


def program(depth):
    return script('''
        def down(n):
            if n == 0:
                return last(n)
            return down(n - 1)

        def last(n):
            reason = "here"
            raise ValueError(reason)

        down(%d)
    ''' % depth)


for depth, omitted in (200, 0), (253, 0), (254, 1), (400, 147), (900, 647):
    with Cdbg(program(depth)) as d:
        d.go()
        is_((d.reason, d.frame["function"], d.frame["line"]), ("exception", "last", d.line_of("raise ValueError")),
            "%d frames deep: the stop is where the exception was raised" % depth)
        is_(d.text("print reason").strip(), "'here'", "its locals are there")
        rows = d.rows("info frames")
        is_((rows[0]["function"], rows[1]["function"], [r["level"] for r in rows] == list(range(len(rows)))),
            ("last", "down", True), "frame 0 raised, frame 1 called it")
        is_(len(rows), depth + 3 - omitted, "so many frames are listed")
        is_([r.get("omitted") for r in rows], [None] * (len(rows) - 1) + [omitted or None],
            "the last row says how many are omitted")
        is_([r.get("omitted") for r in d.rows("backtrace")], [r.get("omitted") for r in rows], "so does backtrace")
        is_(d.text("frame %d" % (len(rows) - 1)).split()[1], rows[-1]["function"], "the outermost frame listed can be selected")

status, out, err = run(program(400), commands=["continue", "backtrace 2", "up 3", "print n"])
like(out, r"(?m)^\(147 outer frames omitted\)$", "backtrace of the plain front end says it")
like(out, r"(?m)^2$", "and up counts from the frame that raised")

with Screen(program(400), rows=40, cols=120, options=["-q"]) as s:
    s.line("continue")
    s.see("uncaught exception ValueError")
    s.line("focus frames")
    like(s.text, "147 outer frames omitted", "the pane of frames says it")
    like("\n".join(s.pane("frames")), r"0 +last", "and begins with the frame that raised")
done()
