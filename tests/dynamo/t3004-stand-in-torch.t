#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A rank that waits in a collective is stopped there: its frames, locals, entries and guards can be asked for.  One that computes meanwhile runs."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from ranks import Prompt  # noqa: E402

need_torch()
if not torch_has("torch._C._distributed_c10d._dump_fr_trace_json"):
    skip_all("this torch does not record the collectives of gloo")
PROGRAM = script("""
    import os, sys, torch, torch.distributed as dist
    dist.init_process_group("gloo")
    r = dist.get_rank()
    @torch.compile(backend="eager")
    def f(x):
        return x * 2
    def reduce(t):
        before = t.clone()
        dist.all_reduce(t)
        return before
    def held():
        return r
    for step in range(3):
        x = f(torch.ones(8) * (r + step))
        if step == 1 and r == 0:
            held()
        reduce(x)
        sys.stdout.write("rank %d step %d %.5f\\n" % (r, step, x.sum().item()))
        sys.stdout.flush()
    t = torch.ones(1)
    def overlap(work):
        while not os.access(sys.argv[1], os.F_OK):
            pass
        work.wait()
    if r == 1:
        overlap(dist.all_reduce(t, async_op=True))
    else:
        held()
        dist.all_reduce(t)
    dist.barrier()
    os._exit(0)
""")
FLAG = PROGRAM + ".flag"
CALL = 1 + open(PROGRAM).read().split("\n").index("    dist.all_reduce(t)")
WAIT = 1 + open(PROGRAM).read().split("\n").index("    work.wait()")
p = Prompt("--ranks=2", command=[PROGRAM, FLAG])
p.expect(r"^\[0-1\]\n<module> at .*prog.py:1\n")
p.answer("break held", "set ranks-patience 1")
p.ask("continue", r"^held at ")
text = p.answer("ranks")
while "all_reduce" not in text:         # it is on its way
    text = p.answer("ranks")
like(text, r"^\[1\] waits in all_reduce seq 2 of default_pg, reduce prog\.py:%d$" % CALL, "one rank stands at a breakpoint, the other waits in all_reduce")
p.send("rank 1 interrupt")
p.says(r"^\[1\]\nstopped: interrupt \(waits in all_reduce seq 2 of default_pg\)\nreduce at .*prog\.py:%d\n" % CALL, "interrupt stops it there, and says in which collective")
p.answer("rank 1")
like(p.answer("backtrace"), r"reduce at .*prog\.py:%d\n.*<module> at .*prog\.py" % CALL, "its frames can be asked for")
like(p.answer("print before.sum().item()"), r"^32\.0", "... its values")
like(p.answer("info entries"), r"^0/0 +f ", "... its entries")
like(p.answer("info guards"), r"TENSOR_MATCH[\s\S]*f32\[8\]|f32\[8\]", "... its guards")
like(p.answer("info collectives"), r"all_reduce +gloo +waits", "... its collectives")
like(p.answer("rank 1 next"), r"^error: the thread waits in all_reduce seq 2 of default_pg, so it cannot step", "a step is refused, with the collective")
p.send("continue")
p.expect(r"^held at ")
text = p.answer("ranks")
while "overlap" not in text:
    text = p.answer("ranks")
like(text, r"^\[1\] running, overlap prog\.py:\d+$", "a rank that computes while a collective is under way does not wait")
like(p.answer("info collectives"), r"all_reduce +gloo +pending", "... and the collective is pending")
open(FLAG, "w").close()
while "waits" not in text:
    text = p.answer("ranks")
like(text, r"^\[1\] waits in all_reduce seq 4 of default_pg, overlap prog\.py:%d$" % WAIT, "... until it calls wait()")
p.send("continue")
p.expect(r"^the job has ended with status 0\n")
is_(sorted(l for l in p.seen.split("\n") if l.startswith("rank ") and "step" in l),
    ["rank %d step %d %s" % (r, s, v) for r in range(2) for s, v in enumerate(("16.00000", "48.00000", "80.00000"))],
    "continue leaves it there: the job ends as without a stop")
p.send("quit")
p.ended()
done()
