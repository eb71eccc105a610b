#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""catch divergence: shares of different sizes are none; a rank that waits for a message, which torch does not record, and what made a guard."""
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
    pair = dist.new_group(group_desc="pair")
    r = dist.get_rank()
    @torch.compile(backend="eager")
    def f(x, rank):
        y = x * 2
        return y.sum() + rank
    def exchange(t):
        dist.recv(t, 1, group=pair)
    for step in range(2):
        t = f(torch.ones(5 + r + step), r)          # each rank has a share of its own
        dist.all_reduce(t)
    if r == 0:
        exchange(t)
    else:
        dist.all_reduce(t)
""")
WHERE = {word: 1 + next(i for i, l in enumerate(open(PROGRAM)) if word in l) for word in ("recv(", "x * 2")}

p = Prompt("--ranks=2", command=[PROGRAM])
p.expect(r"^\[0-1\]\n<module> at .*prog.py:1\n")
p.answer("catch recompile")
p.send("continue")
p.says(r"^\[0\]\nstopped: f compiles again as 0/1: [\s\S]*guard \d+ of 0/0 was made by prog\.py:%d\n\[1\]\n" % WHERE["x * 2"],
       "a rank that compiles again says which line made the guard")
p.answer("delete", "catch divergence")
p.send("continue")
p.says(r"^divergence: the ranks have parted\n\[0\] waits in recv from 1 of pair, exchange prog\.py:%d\n\[1\] waits in all_reduce seq 3 of default_pg, " % WHERE["recv("],
       "a rank that waits for a message has parted from one in a collective")
unlike(p.seen[:-200], "divergence: the", "... and shares of other sizes had not")
like(p.answer("info collectives"), r"(?m)^pair +- +recv from 1 +- +waits", "info collectives shows it")
p.send("interrupt")
p.says(r"^stopped: interrupt \(waits in recv from 1 of pair\)\nexchange at .*prog\.py:%d\n" % WHERE["recv("], "... and so does a stop there")
p.send("quit")
p.ended()
done()
