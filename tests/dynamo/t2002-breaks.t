#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Graph breaks: one stop for each that Dynamo logs, at the user's line, with torch's words, the real arguments and what
was symbolic; also for those that end in a skipped frame; and, with -r, each time execution reaches one."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from breaks import breaks_logged
from cdbgtest import *

need_torch()

PROGRAM = '''
    import torch

    def compiled(f):
        return torch.compile(f, backend="eager")

    def deep(y):
        print(end="")                       # deep breaks
        return y + 5

    def helper(y, k):
        z = y * k
        return deep(z) + 1                  # calls deep

    @compiled
    def three(x, n):
        y = x + n
        torch._dynamo.graph_break()         # first
        z = y * n
        if z.sum() > 0:                     # second
            z = z + 1
        print(z.shape[0], end=chr(10))      # third
        return z

    @compiled
    def inlined(x, n):
        t = x + n
        r = helper(t, 10)                   # calls helper
        return r - 1

    @compiled
    def looped(x):
        for i in range(2):
            x = x + i
            print(end="")                   # in a loop
        return x

    @compiled
    def tried(x):
        x = x * 2
        try:
            print(end="")                   # in try
        finally:
            pass
        return x

    @compiled
    def contexts(x):
        with torch.no_grad():
            y = x * 2
            print(end="")                   # in no_grad
        return y

    @compiled
    def none(x):
        return x * 2

    class Model(torch.nn.Module):
        def forward(self, x):
            x = x.sin()
            torch._dynamo.graph_break()     # in forward
            return x.cos()

    @compiled
    def recursive(x, n):
        if n == 0:
            return x
        x = x + 1
        torch._dynamo.graph_break()         # at each depth
        return recursive(x, n - 1)

    def calls(x):
        three(x, 2)
        inlined(x, 3)
        looped(x)
        tried(x)
        contexts(x)
        none(x)
        compiled(Model())(x)

    x = torch.ones(3)
    calls(x)
    calls(x)
    recursive(x, 2)
    print("end")
'''


path = script(PROGRAM)
logged = [(b[0], b[1], b[3], b[5]) for b in breaks_logged(path)[0]]
ok(len(logged) >= 9, "the program breaks in many ways", logged)

with Cdbg(path) as d:
    d.do("catch graph-break")
    stops, codes = [], []
    while not d.exited:
        d.go()
        if d.reason == "graph-break":
            codes.append({r["line"] for r in d.rows("info code")})
            stops.append((d.stop["detail"], d.frame, d.rows("info frames")))
    is_([(s["function"], s["line"], s["nodes"]) for s, _, _ in stops], [b[:3] for b in logged],
        "each break that torch logs stops once: function, line, nodes so far")
    ok(all(b[3].splitlines()[0] in s["reason"] for (s, _, _), b in zip(stops, logged)), "the reason holds torch's words")
    ok(all(f["kind"] == "compiling" and f["offset"] is None for _, f, _ in stops),
       "the innermost frame is the function being compiled")
    ok(all(f["line"] in c for (_, f, _), c in zip(stops, codes)), "its code is shown as it was written, for there is no other yet")
    ok(all(rows[1]["kind"] in ("user", "generated") for _, _, rows in stops), "level 1 is what called it")
    is_(d.out, "3\n3\nend\n", "the output is the program's own")
    rows = d.rows("info breaks")
    is_([(r["function"], r["line"], r["nodes"]) for r in rows], [b[:3] for b in logged], "info breaks lists the same")
    skipped = {r["function"] for r in rows if r["skipped"]}
    ok({"looped", "tried"} <= skipped, "a break that ends in a skipped frame reports it", skipped)
    ok(all(r["resume"] for r in rows if r["function"] == "three"), "a break names the resume functions after it")

with Cdbg(path) as d:
    d.do("catch graph-break inlined")
    d.go()
    detail = d.stop["detail"]
    is_([(f["function"], f["line"]) for f in detail["stack"]],
        [("inlined", d.line_of("# calls helper")), ("helper", d.line_of("# calls deep")),
         ("deep", d.line_of("# deep breaks"))], "the stack of a break in an inlined callee has every caller")
    is_(detail["line"], d.line_of("# deep breaks"), "its line is the innermost")
    is_(d.frame["line"], d.line_of("# calls helper"), "the frame's line is the compiled function's own")
    known = {r["name"]: r for r in d.rows("info locals")}
    is_((known["n"]["value"], known["n"]["kind"]), ("3", "local"), "an argument is real")
    like(known["x"]["value"], r"f32\[3\]", "so is a tensor")
    is_(known["t"]["kind"], "symbolic", "what was computed since is symbolic")
    stack = d.rows("info stack")
    ok(any(r["kind"] == "null" for r in stack[:2]) and any("helper" in str(r["value"]) for r in stack),
       "the symbolic stack has the operands of the call", stack)
    is_(d.text("print n + 1"), "4", "expressions see the arguments")
    d.go("stepi")
    ok(d.frame.get("kind") in ("user", "generated"), "stepi goes to what runs next", d.frame)
    d.run_out()
    is_(d.out, "3\n3\nend\n", "and the program is not affected")

with Cdbg(path) as d:
    d.do("tcatch graph-break")
    d.go()
    is_(d.reason, "graph-break", "tcatch stops")
    d.go()
    ok(d.exited, "once")

with Cdbg(path) as d:
    d.do("catch graph-break if n == 3")
    d.do("catch skip looped")
    d.go()
    while d.reason == "graph-break" and d.stop["detail"]["function"] != "inlined":
        d.go()                              # where there is no n the condition cannot be told
    is_((d.reason, d.stop["detail"]["function"]), ("graph-break", "inlined"), "a condition reads the arguments")
    while d.reason == "graph-break":
        d.go()
    is_((d.reason, d.stop["detail"]["function"]), ("skip", "looped"), "catch skip FUNC stops where Dynamo gives up")
    ok("loop" in d.stop["detail"]["reason"], "and says why", d.stop["detail"]["reason"])

with Cdbg(path) as d:
    d.do("break " + str(d.line_of("recursive(x, 2)")))
    d.go()
    d.do("delete")
    d.do("catch graph-break -r recursive")
    stops = []
    while not d.exited:
        d.go()
        if not d.exited:
            stops.append((d.reason, d.frame["region"], d.frame["line"]))
    here = d.line_of("# at each depth")
    is_(sorted(set(stops)), [("graph-break", "break", here), ("graph-break", "break", here + 1)],
        "-r stops at the user's own instruction, in recursion too")

WARM = '''
    import torch

    @torch.compile(backend="eager")
    def f(x, n):
        y = x + n
        torch._dynamo.graph_break()     # breaks
        return y * n

    x = torch.ones(2)
    f(x, 1)

    def warm():
        pass

    warm()
    for k in range(3):
        f(x, 1)
'''

with Cdbg(WARM) as d:
    d.do("break warm")
    d.go()
    d.do("catch graph-break -r f")
    d.do("catch resume")
    seen = []
    while not d.exited:
        d.go()
        if not d.exited:
            seen.append((d.reason, d.frame["entry"], d.frame["line"]))
    is_(seen, [("graph-break", "0/0", d.line_of("# breaks")), ("resume", "1/0", d.line_of("return y * n"))] * 3,
        "in a warm program -r stops at each break that is reached, and catch resume after it, in each call")

CALLS = '''
    import torch, cdbg, warnings
    warnings.simplefilter("error")

    @torch.compile(backend="eager")
    def f(x):
        x = x + 1
        cdbg.breakpoint()           # here
        return x * 2

    print(f(torch.ones(2)).sum().item(), cdbg.breakpoint)
'''
with Cdbg(CALLS) as d:
    d.do("catch graph-break")
    d.go()
    here = d.line_of("# here")
    is_((d.reason, d.frame["line"]), ("graph-break", here), "cdbg.breakpoint() breaks the graph where it is called")
    like(d.stop["detail"]["reason"], "breakpoint.*the program stops here for its debugger" if torch_version() > (2, 6) else
         "function cdbg.breakpoint", "with a reason of its own")       # 2.6 names the function, and takes no reason
    d.go()
    is_((d.reason, d.frame["line"], d.frame["kind"]), ("breakpoint", here, "generated"), "and stops there in generated code")
    d.run_out()
    is_(d.out, "8.0 <function cdbg.breakpoint>\n", "without a warning of Dynamo")
status, out, err = run(CALLS, options=["-q"], commands=["continue", "continue"])
unlike(err, "(?<!Resource)Warning|unclosed", "nor one of a file of cdbg left open")
with Cdbg("""
    import torch
    def refuses(gm, inputs):
        raise ValueError("not this graph")
    @torch.compile(backend=refuses)
    def f(t):
        t = t + 1
        print("between")
        return t * 2
    try:
        f(torch.ones(2))
    except Exception as e:
        print(type(e).__name__)
    end = 1
    """) as d:
    d.do("break %d" % d.line_of("end = 1"))
    d.go()
    is_([(r["function"], r["failed"], r["skipped"], r["resume"]) for r in d.rows("info breaks")], [("f", True, False, None)],
        "a break whose compile ended with an exception reports it")
    d.run_out()
    is_(d.out, "BackendCompilerFailed\n", "(it did)")
done()
