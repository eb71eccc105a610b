#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What Dynamo compiled: entries and their names, what became of each function, and nothing of it kept alive or left
behind; also when it was compiled before cdbg came."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = '''
    import gc, weakref
    import torch
    import torch._dynamo

    @torch.compile(backend="eager")
    def f(a, n):
        x = a * n
        print(end="")
        return x + 1

    @torch.compile(backend="eager")
    def gives_up(a):
        for i in range(2):
            a = a + i
            print(end="")
        return a

    @torch.compile(backend="eager")
    def no_tensor(n):
        return n + 1

    t = torch.ones(3)
    f(t, 2), f(t, 3), gives_up(t), no_tensor(1)

    def stop():
        pass

    stop()
    made = torch._C._dynamo.eval_frame._debug_get_cache_entry_list(f._torchdynamo_orig_callable.__code__)
    made = [weakref.ref(e.code) for e in made]
    torch._dynamo.reset()
    gc.collect()
    print([w() is None for w in made])
    f(t, 2)
    stop()
    with torch.compiler.set_stance("force_eager"):
        f(t, 2)
    stop()
    from torch._dynamo import convert_frame as cf, eval_frame as ef, exc, symbolic_convert as sc, output_graph as og
    log_graph_break = getattr(sc, "log_graph_break", None) or sc.InstructionTranslatorBase.log_graph_break     # or: 2.6
    resumes = getattr(og.OutputGraph, "install_resume_function_global", og.OutputGraph.install_global_unsafe)
    print([type(f).__name__ for f in (cf._compile, cf.CatchErrorsWrapper.__call__,
           sc.InstructionTranslatorBase.step, sc.InstructionTranslatorBase.run, log_graph_break, exc.Unsupported.__init__,
           og.OutputGraph.call_user_compiler, resumes, torch._dynamo.reset, torch._guards.GuardsSet.add)])
    true = torch._C._dynamo.eval_frame.set_eval_frame
    print([f is true or type(f).__name__ for f in (getattr(ef, "set_eval_frame", true), torch._dynamo.decorators.set_eval_frame,
           ef._maybe_set_eval_frame)])
    print(f(t, 2).tolist())
'''

with Cdbg(PROGRAM) as d:
    d.do("catch compile")
    d.go()
    detail = d.stop["detail"]
    is_((detail["function"], detail["entry"]), ("f", "0/0"), "catch compile stops when a frame is compiled")
    guards = detail["guards"]
    ok(detail["nodes"] == 3 and detail["instructions"] > 20 and detail["seconds"] > 0, "with its nodes, instructions, seconds", detail)
    is_(d.frame["kind"], "compiling", "its frame has not run")
    d.do("delete")
    d.do("break stop")
    d.go()
    rows = {r["entry"]: r for r in d.rows("info entries")}
    is_(sorted(rows), ["0/0", "0/1", "1/0"], "info entries lists each")
    is_(rows["0/0"]["guards"], guards, "with as many guards as when it was compiled")
    is_([(r["graphs"], r["resumes"], r["state"]) for r in rows.values()], [(1, 1, "live"), (1, 0, "live"), (1, 1, "live")],
        "graphs, resume functions and state")
    rows = {r["function"]: (r["status"], r["entries"]) for r in d.rows("info compiled")}
    is_((rows["f"], rows["gives_up"], rows["no_tensor"]), (("compiled", 2), ("skipped", 0), ("eager", 0)),
        "info compiled tells what is compiled, what was given up, and what has nothing to compile")
    reasons = {r["function"]: r["reason"] for r in d.rows("info compiled")}
    ok("loop" in reasons["gives_up"] and reasons["no_tensor"], "and why", reasons)
    d.go()
    rows = {r["entry"]: r["state"] for r in d.rows("info entries")}
    is_([rows.get("0/0"), rows.get("0/1"), rows.get("0/0#2"), rows.get("1/0#2")], ["invalidated", "invalidated", "live", "live"],
        "after a reset the ids go on, and the old ones are dead")
    like(d.text("disassemble 0/0#2"), "entry 0/0#2", "a command takes such an id")
    like(d.error("disassemble 7/7"), "no entry '7/7'", "an id that is not one is refused")
    d.do("delete")
    d.do("break f")
    d.do("break stop")
    d.do("catch graph-break")
    d.go()
    is_((d.frame["function"], d.frame["kind"]), ("f", "user"), "under force_eager a breakpoint stops in the user's own code")
    d.go()
    is_(d.out.split("\n")[0], bare(PROGRAM)[1].split("\n")[0], "generated code dies with a reset, as it does without cdbg")
    d.go("detach")
    lines = d.out.splitlines()
    is_(lines[1], str(["function"] * 10), "after detach nothing stands in for Dynamo's functions")
    like(lines[2], r"\[True, True, (True|'function')\]", "and set_eval_frame is torch's own in each place")
    is_(lines[3], "[3.0, 3.0, 3.0]", "compiled calls go on")

BEFORE = '''
    import torch

    def helper(y):
        return y * 3                    # inlined

    @torch.compile(backend="eager")
    def f(a, n):
        x = helper(a) + n               # in graph
        print(end="")                   # breaks
        def g(z):
            return z * n
        return g(x)                     # goes on

    @torch.compile(backend="aot_eager")
    def other(a):
        return a.sin() + 1

    t = torch.ones(3)
    for k in range(2):
        f(t, 2), other(t)
    from torch._dynamo import convert_frame
    from torch._C._dynamo.eval_frame import _debug_get_cache_entry_list
    print("torch:", [(str(e.compile_id), c().co_name) for c in convert_frame.input_codes.seen if c()
                     for e in _debug_get_cache_entry_list(c())])
    import cdbg
    cdbg.breakpoint()
    f(t, 2), other(t)
    print("end")
'''

commands = ["info entries", "info compiled", "disassemble 0/0", "break f", "break other", "info graphs",
            "catch graph-break -r", "continue", "stepi", "bt", "continue", "continue", "continue"]
status, out, err = bare(BEFORE, input="".join(c + "\n" for c in commands))
known = dict(eval(re.search(r"(?m)^torch: (.*)", out).group(1)))
other = [k for k in known if known[k] == "other"][0]
like(out, r"(?m)^0/0 +f +\d+ +1 +1 +live", "what was compiled before is listed with its guards, graphs and resume functions")
named = {k: re.sub(r"torch_dynamo_resume_in_(\w+)_at_(\d+)", r"\1 (resumed at line \2)", v) for k, v in known.items()}
is_(dict(re.findall(r"(?m)^(\d+/\d+) +(\S+|\S+ \(resumed at line \d+\)) +\d+ .* live +\d+(?= |$)", out)), named,
    "with all that torch has, its resume functions too")
like(out, r"graph call +__compiled_fn_\d+\(a\) .* line 8 ", "its regions, with lines where the backend keeps the graph")
like(out, r"__compiled_fn_\d+ +captured +%s +-" % other, "what cannot be known is absent")
like(out, r"stopped: breakpoint 1\s+f at .*\[generated 0/0", "a breakpoint stops in its generated code")
like(out, r"graph break in f: (Failed to trace builtin operator|unknown: compiled before cdbg was loaded)", "and -r at its break, with the reason if torch keeps it")
like(out, r"stopped: breakpoint 2\s+other at .*\[generated %s" % other, "with another backend too")
ok(status == 0 and out.rstrip().endswith("end"), "the program ends as ever", err[-500:])

done()
