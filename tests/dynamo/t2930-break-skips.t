#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A graph break in a loop: the stop says at once that the whole function runs in eager mode, and so does everything after it."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
LOOP = """
    import torch

    def note(x):
        print("here")
        return x

    def f(x):
        y = x.sin()
        for i in range(2):
            y = note(y) + 1
        return y * 2

    def g(x):
        y = note(x.sin())
        return y * 2

    f, g = torch.compile(f, backend="eager"), torch.compile(g, backend="eager")
    f(torch.ones(2))
    g(torch.ones(2))
    """
EARLY = "import torch._dynamo.exc, inspect\nraise SystemExit('skip_frame' not in inspect.signature(torch._dynamo.exc.Unsupported.__init__).parameters)"
if run(EARLY, options=["--plain", "-q", "-batch", "-ex", "continue"])[0]:
    skip_all("this version of torch reports only at the end of the compile that it skips the function")

with Cdbg(LOOP) as d:
    d.do("catch graph-break")
    stop = d.go()
    is_((stop["detail"]["function"], stop["detail"]["state"]), ("f", "skipped"), "the stop says that the function is skipped")
    like(d.text("explain f"), "breaks at line 10, .*so that the whole function runs in eager mode:", "explain, too")
    is_([r["state"] for r in d.rows("info breaks")], ["skipped"], "and info breaks")
    stop = d.go()
    is_((stop["detail"]["function"], stop["detail"]["state"]), ("note", None), "a break that a resume function can follow is not said to be one")
    d.do("delete")
    d.run_out()
    is_([r["state"] for r in d.rows("info breaks")], ["skipped", "resumed", "resumed"], "what is known at the end is the same")
    is_([r["status"] for r in d.rows("info compiled") if r["function"] == "f"], ["skipped"], "the function is skipped")

out = run(LOOP, options=("--plain", "-q"), commands=["catch graph-break", "continue", "info breaks", "delete", "continue"])[1]
like(out, r"nodes so far; the whole function runs in eager mode$", "people read it in the list of breaks")
done()
