#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph compare runs the code that the program itself runs, too, and reports it where that is wrong and the graph compiled again is right."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
PROGRAM = """
    import torch
    torch.set_num_threads(1)
    torch.manual_seed(0)
    calls, raising = [], []
    def once(gm, inputs):               # wrong the first time
        calls.append(gm)
        if len(calls) > 1:
            return gm.forward
        def run(*args):
            a, b = gm.forward(*args)
            return a, b + 1e-3
        return run
    def right(gm, inputs):
        return gm.forward
    def always(gm, inputs):
        return lambda *args: [t * 1.001 for t in gm.forward(*args)]
    def raises(gm, inputs):
        first = not calls
        calls.append(gm)
        def run(*args):
            if first and raising:
                raise KeyError("only here")
            return gm.forward(*args)
        return run
    def f(x, w):
        y = x @ w
        w.add_(1)
        return y.sin(), y.relu() * 2
    def g(x, w):
        y = x @ w
        return y.sin(), y.relu() * 2
    x, w = torch.randn(4, 4), torch.randn(4, 4, requires_grad=True)
    def run(function, backend):
        torch._dynamo.reset()
        calls.clear()
        c = torch.compile(function, backend=backend)
        with torch.no_grad():
            for _ in range(3):
                c(x, w.detach() if function is f else w)
    for backend in (once, right, always, raises):
        for function in (f, g):
            run(function, backend)
    print("sum %.4f" % w.sum())
"""


with Cdbg(PROGRAM) as d:
    d.do("break f")
    d.do("break g")

    def at():
        d.go()
        r = d.cmd("graph compare")
        return r, [row for row in r.get("rows", ()) if row["stage"] == "program"]
    for function in "fg":
        d.go()                          # the call that compiles
        r, own = at()
        ok(r["ok"] and r["first"] is None, "%s: no node is wrong" % function, str(r)[:600])
        is_([(row["node"], row["ok"]) for row in own], [("mul (result 1)", False)], "%s: a result of the program's own code is" % function)
        r = d.cmd("graph compare with x=torch.ones(4,4)")
        ok(r["ok"] and all([row["stage"] != "program" for row in r["rows"]]), "%s: with other inputs it is not run" % function, str(r)[:600])
        d.go()
    for function in "fg":
        d.go()
        r, own = at()
        ok(r["ok"] and r["first"] is None and not own and all([row["ok"] for row in r["rows"]]), "%s: right code has no such row" % function,
           str(r)[:600])
        d.go()
    for function in "fg":
        d.go()
        r, own = at()
        ok(r["ok"] and not own and [row["ok"] for row in r["rows"][:2]] == [False, False], "%s: code that is always wrong has rows of results" % function,
           str(r)[:600])
        d.go()
    for function in "fg":
        d.go()
        d.do("!raising.append(1)")
        r = d.cmd("graph compare")
        ok(r["ok"] and r["first"] is None and all([row["ok"] for row in r["rows"]]), "%s: code that raises is not judged" % function, str(r)[:600])
        d.do("!raising.clear()")
        d.go()
        d.go()
    d.do("delete")
    d.go()
    is_(d.out, "sum %s\n" % d.out[4:-1], "the program ends")

PLAIN = """
    import torch
    def once(gm, inputs, calls=[]):
        calls.append(gm)
        return gm.forward if len(calls) > 1 else lambda *args: [t + 1e-3 for t in gm.forward(*args)]
    def f(x):
        return x.sin() * 2
    c = torch.compile(f, backend=once)
    for _ in range(2):
        c(torch.ones(3))
"""
status, out, err = run(PLAIN, options=["--plain", "-nx", "-q"], commands=["break f", "continue", "continue", "graph compare", "kill"])
like(out, r"no node is wrong by itself, but the graph differs from eager\n(note:.*\n)*note: results 0 of the code that the program runs are "
     r"wrong; the graph compiled again is right, so look for a cache", "a note names what to look for")
done()
