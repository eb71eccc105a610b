#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""breakpointLocations: the lines of a range at which a breakpoint stops, at a stop and while the program runs."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from dap import Editor  # noqa: E402

path = script("""
    import os, time

    def f(n):
        # a comment
        m = n + 1

        return m
    f(1)
    while not os.path.exists("go"):
        time.sleep(0.01)
""")


def lines(e, line, end=None, where=path, **source):
    more = {} if end is None else {"endLine": end}
    return [b["line"] for b in e.ask("breakpointLocations", source=source or {"path": where}, line=line, **more)["breakpoints"]]


with Editor() as e:
    e.begin("launch", program=path, cwd=os.path.dirname(path))
    ok(e.capabilities["supportsBreakpointLocationsRequest"], "it is a capability")
    is_(lines(e, 1, 100), [1, 3, 5, 7, 8, 9, 10], "all lines with code, before the program runs")
    is_((lines(e, 4, 6), lines(e, 5), lines(e, 6), lines(e, 200, 300)), ([5], [5], [], []), "a range, one line, a line without code, none")
    like(e.error("breakpointLocations", source={"path": "/nowhere/else.py"}, line=1), "no file '/nowhere/else.py' is loaded yet", "a file that is not loaded")
    like(e.error("breakpointLocations", source={}, line=1), "needs a source", "no source")
    like(e.error("breakpointLocations", source={"sourceReference": 99}, line=1), "needs a source that is known", "an unknown one")
    like(e.error("breakpointLocations", source={"path": path}), "and a line", "no line")
    e.configure()
    is_(lines(e, 3, 8), [3, 5, 7, 8], "while the program runs")
    open(os.path.join(os.path.dirname(path), "go"), "w").close()
    e.run_out()
    is_(e.wrong, [], "every message is as the protocol defines it")
done()
