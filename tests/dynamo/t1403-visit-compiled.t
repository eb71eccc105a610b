#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Commands that come while compiled functions run: breakpoints, catchpoints and views, with the program's results as without them."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()

PROGRAM = """
    import sys, torch
    @torch.compile(backend="eager")
    def f(x, n):
        y = x * 2
        print(end="")
        return y + n
    total = torch.zeros(2)
    f(torch.ones(2), 1)
    print("up", flush=True)
    go = [True]
    while go[0]:
        total = f(torch.ones(2), 1)
    print(total)
    print(f(torch.ones(3), 1))
"""
with Cdbg(PROGRAM) as d:
    d.do("continue")
    while "up" not in d.out:
        d.next()
    is_([r["entry"] for r in d.rows("info entries")][:1], ["0/0"], "info entries is answered while the function runs")
    ok(len(d.rows("info guards 0/0")) > 0, "... and info guards of an entry")
    is_(len(d.stops), 1, "... without a stop")
    d.do("tbreak f@break")
    is_((d.wait()["reason"], d.frame["region"], d.frame["kind"]), ("breakpoint", "break", "generated"),
        "a breakpoint in generated code, set while it runs, stops there")
    d.do("continue")
    d.do("catch recompile")
    d.do("break %d" % d.line_of("y = x * 2"))
    stop = d.wait()
    is_((stop["reason"], stop["frame"]["line"]), ("breakpoint", d.line_of("y = x * 2")), "a line in a graph, too")
    d.do("delete 3")
    d.do("!sys.modules['__main__'].go[0] = False")
    while d.reason == "breakpoint":
        d.go()
    is_(d.reason, "recompile", "a catchpoint that was set while the program ran stops at the next recompile")
    d.do("delete")
    d.run_out()
    is_(d.out, "up\ntensor([3., 3.])\ntensor([3., 3., 3.])\n", "the results are those of the program alone")

done()
