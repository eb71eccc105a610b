#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Dynamo's symbolic run, kept instruction by instruction while it is requested."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import torch
    from torch._dynamo.symbolic_convert import InstructionTranslatorBase as T
    plain = T.step

    def helper(y):
        return y * 3                        # inlined

    @torch.compile(backend="eager")
    def f(x, n):
        z = helper(x) + n                   # own
        print(end="")                       # breaks
        return z.sum()                      # after

    def before(x):
        return x + 1
    torch.compile(before, backend="eager")(torch.ones(2))
    def stop():
        pass
    stop()
    f(torch.ones(3), 2)
    stop()
    print(T.step is plain)
"""

with Cdbg(PROGRAM) as d:
    d.do("break stop")
    d.go()
    is_(d.rows("info trace"), [], "nothing is kept of what was compiled while trace-compile was off")
    d.do("set trace-compile on")
    d.go()
    like(d.error("info trace before"), "no symbolic run of 'before' is recorded: 'set trace-compile on'", "and the error says how")
    rows = d.rows("info trace f")
    is_([r["step"] for r in rows], list(range(len(rows))), "each instruction of the last attempt is there, in order")
    is_({(r["function"], r["depth"]) for r in rows}, {("f", 0), ("helper", 1)}, "those of what is inlined too")
    is_((rows[0]["entry"], rows[0]["attempt"]), ("1/0", 2), "the run that led to the entry is the second attempt")
    made = {n: r for r in rows for n in (r["nodes"] or "").split(", ") if n}
    nodes = [n["node"] for n in d.rows("info graph " + d.rows("info graphs 1/0")[0]["graph"]) if n["op"] != "output"]
    ok(nodes and set(nodes) <= set(made), "every node of the graph has the instruction that made it", (nodes, sorted(made)))
    is_([(made[n]["function"], made[n]["line"]) for n in ("mul", "z")], [("helper", d.line_of("# inlined")), ("f", d.line_of("# own"))],
        "by the name that it has in the end")
    calls = [r for r in rows if r["opname"] == "CALL" and r["function"] == "f"]
    like(calls[0]["stack"], r"^(NULL, .*helper.*|.*helper.*, NULL), .*L\['x'\]", "the symbolic stack is the one before the instruction")
    resume = d.rows("info trace 2/0")
    is_((resume[0]["function"][:22], resume[-1]["opname"], resume[-1]["line"]), ("torch_dynamo_resume_in", "RETURN_VALUE", d.line_of("# after")), "a resume function has its own")
    d.do("set trace-compile off")
    d.run_out()
    is_(d.out, "True\n", "what is wrapped for it is restored")

status, out, err = run(PROGRAM, commands=["set trace-compile on", "break stop", "continue", "continue", "info trace f"])
like(out, r"symbolic run of f for 1/0, attempt 2: \d+ instructions; it breaks: ", "for people it says what it is of")
like(out, r"\n +in helper\n", "and where it goes into what is inlined")
done()
