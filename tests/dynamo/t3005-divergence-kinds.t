#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""catch divergence: an exception in one rank, another collective, and recompiles that another rank's guards cause."""
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from ranks import Prompt  # noqa: E402

need_torch()
for name in "torch._C._distributed_c10d._dump_fr_trace_json", "torch._dynamo.distributed._GUARD_PG":
    if not torch_has(name):
        skip_all("this torch has no %s" % name)
PROGRAM = script("""
    import os, sys, torch, torch.distributed as dist
    dist.init_process_group("gloo")
    torch.compiler.set_enable_guard_collectives(True)
    @torch._dynamo.disable
    def gather(results, value, group):          # torch's own needs numpy
        each = [torch.zeros(1) for rank in results]
        dist.all_gather(each, torch.tensor([float(value)]), group=group)
        results[:] = [bool(t) for t in each]
    dist.all_gather_object = gather
    r = dist.get_rank()
    @torch.compile(backend="eager")
    def f(x):
        return x.sum() * 2
    def reduce(t, step):
        if step == 2 and r == 1 and sys.argv[1] == "other":
            dist.broadcast(t, 0)
        else:
            dist.all_reduce(t)
    def check(step):
        if step == 2 and r == 1 and sys.argv[1] == "exception":
            raise ValueError("bad batch")
    for step in range(4):
        t = f(torch.ones(9 if step == 1 and r == 1 else 8))
        check(step)
        reduce(t, step)
        sys.stdout.write("rank %d step %d sum %s\\n" % (r, step, t.item()))
        sys.stdout.flush()
""")
LINES = open(PROGRAM).read().split("\n")


def line(text):
    return 1 + next(i for i, l in enumerate(LINES) if text in l)


def job(how, *lines):
    p = Prompt("--ranks=2", command=[PROGRAM, how])
    p.expect(r"^\[0-1\]\n<module> at .*prog.py:1\n")
    p.answer(*lines)
    p.send("continue")
    return p


p = job("exception", "catch recompile")
p.says(r"^\[0\]\nstopped: f compiles again as 0/1: 0/0: another rank's guards failed, and guard collectives make all ranks compile\n",
       "a rank that compiles because another one missed says so")
p.answer("delete", "catch divergence")
p.send("continue")
p.says(r"^divergence: the ranks have parted\n\[0\] waits in all_reduce seq \d+ of default_pg, reduce prog\.py:%d\n"
       r"\[1\]\nstopped: uncaught exception ValueError: bad batch.*\ncheck at .*prog\.py:%d\n" % (line("dist.all_reduce"), line("raise ValueError")),
       "an exception in one rank is told with what the others wait in")
p.send("quit")
p.ended()
is_(sorted(re.findall(r"rank \d step \d sum \S+", p.seen)), ["rank %d step %d sum %s" % (r, s, v) for r in range(2) for s, v in enumerate(("32.0", "34.0"))],
    "... and not before")

p = job("other", "catch divergence")
p.says(r"^divergence: the ranks have parted\n\[0\] waits in all_reduce seq (\d+) of default_pg, reduce prog\.py:%d\n\[1\] waits in broadcast seq \1 of default_pg, "
       r"reduce prog\.py:%d\n" % (line("dist.all_reduce"), line("dist.broadcast")), "ranks in different collectives have parted; those that guard collectives made compile had not")
like(p.seen, r"step 1 sum 34\.0[\s\S]*divergence: the", "... which came before")
p.send("quit")
p.ended()
done()
