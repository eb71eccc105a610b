#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""torch.distributed.breakpoint() in a rank stops that rank in cdbg, and the others wait for it."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from ranks import Prompt  # noqa: E402

need_torch()
PROGRAM = script("""
    import os, sys, torch, torch.distributed as dist
    dist.init_process_group("gloo")
    r = dist.get_rank()
    made = dist._make_distributed_pdb if hasattr(dist, "_make_distributed_pdb") else dist._DistributedPdb
    def work(secret):
        dist.breakpoint(rank=1)
        return secret * 2
    for step in range(2):
        result = work(step + 20 * r)
        sys.stdout.write("rank %d result %d\\n" % (r, result))
        sys.stdout.flush()
    dist.barrier()
    os._exit(0)
""")
p = Prompt("--ranks=2", command=[PROGRAM])
p.expect(r"^\[0-1\]\n<module> at .*prog.py:1\n")
p.answer("set ranks-patience 1")
for step in range(2):
    p.ask("continue", r"^breakpoint at .*torch.distributed.__init__\.py:\d+")
    p.answer("rank 1")
    like(p.answer("up"), r"work at .*prog\.py:6", "call %d: the rank stands in cdbg, below the function that called" % (step + 1))
    like(p.answer("print secret"), "^%d$" % (step + 20), "... whose values can be asked for")
    text = p.answer("ranks")
    while "barrier" not in text:            # it is on its way
        text = p.answer("ranks")
    like(text, r"^\[0\] waits in barrier ", "... and the other rank waits")
p.send("continue")
p.expect(r"^the job has ended with status 0\n")
is_(sorted(l for l in p.seen.split("\n") if l.startswith("rank ") and "result" in l),
    ["rank %d result %d" % (r, 2 * (step + 20 * r)) for r in range(2) for step in range(2)], "the job ends as without a stop")
p.send("quit")
p.ended()
done()
