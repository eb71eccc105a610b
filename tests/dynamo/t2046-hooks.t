#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that hook into Dynamo themselves: same results, same entries, same guards with cdbg as without."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import torch
    from torch._dynamo import comptime
    from torch._dynamo.convert_frame import register_bytecode_hook
    from torch._C._dynamo.eval_frame import _debug_get_cache_entry_list
    seen, graphs, asked = [], [], []

    def bytecode_hook(code, new):
        seen.append((code.co_name, len(new.co_consts)))
        return new.replace(co_consts=new.co_consts + ("the hook's",))
    register_bytecode_hook(bytecode_hook)

    def backend(gm, inputs):
        graphs.append([n.name for n in gm.graph.nodes])
        return lambda *args: [o + 0 for o in gm(*args)]

    def keep(guards):
        return [g.name != "n" for g in guards]

    def at_compile_time(ctx):
        asked.append(str(ctx.get_local("y").as_fake().shape))

    @torch.compile(backend=backend)
    def custom(x):
        y = x * 2
        comptime.comptime(at_compile_time)
        print("breaks")
        return y + 1

    @torch.compile(backend="eager", options={"guard_filter_fn": keep})
    def filtered(x, n):
        return x + n

    x = torch.ones(3)
    print(custom(x).tolist(), custom(torch.ones(5)).tolist(), custom(x).tolist())
    print(filtered(x, 1).tolist(), filtered(x, 2).tolist())

    def stop():
        pass
    stop()
    for f in (custom, filtered):
        for e in _debug_get_cache_entry_list(f._torchdynamo_orig_callable.__code__):
            print(str(e.compile_id), e.code.co_name, e.code.co_consts[-1], len(str(e.guard_manager).splitlines()))
    print(seen, graphs, asked)
"""

status, out, err = bare(PROGRAM)
is_(status, 0, "the program runs without cdbg")
with Cdbg(PROGRAM) as d:
    d.run_out()
    is_((d.exited["status"], d.out), (0, out), "it prints the same with cdbg: results, entries, guards, what its hooks saw")
with Cdbg(PROGRAM) as d:
    for kind in ("graph-break", "compile", "recompile", "guard-fail", "skip"):
        d.do("catch " + kind)
    d.do("set count on")
    d.do("set trace-compile on")
    d.do("break stop")
    reasons = []
    while d.go() and d.reason != "breakpoint":
        reasons.append(d.reason)
        d.cmd("guard why")
        d.cmd("info guards")
    ok({"graph-break", "compile", "recompile"} <= set(reasons), "stops come as in any program", reasons)
    rows = {r["entry"]: r for r in d.rows("info entries")}
    guards = [g["source"] for e in rows if rows[e]["function"] == "filtered" for g in d.rows("info guards " + e)]
    if torch_has("torch._dynamo.types.GuardFilterEntry"):
        ok(guards and "L['n']" not in guards, "what the program's filter left out is not a guard", guards)
    else:
        skip("what the program's filter left out is not a guard", "not in this version of torch: guard_filter_fn")
    like({r["backend"] for r in rows.values()}.__repr__(), "backend", "its backend is named")
    code = d.rows("info code 0/0")
    ok(len(code) > 20, "and the code its hook made is shown")
    d.run_out()
    is_((d.exited["status"], d.out), (0, out), "it prints the same with every stop caught, hits counted and compiles traced")
done()
