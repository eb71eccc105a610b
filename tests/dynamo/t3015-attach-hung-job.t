#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""--attach to a job that hangs and was started without cdbg: each rank stops where it waits, and the job goes on afterwards."""
import os
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402
from ranks import LIMIT, Prompt  # noqa: E402

need_torch()
if not torch_has("torch._C._distributed_c10d._dump_fr_trace_json"):
    skip_all("this torch does not record the collectives of gloo")
PROGRAM = script("""
    import os, sys, torch, torch.distributed as dist
    dist.init_process_group("gloo", init_method="file://" + sys.argv[2], rank=int(os.environ["RANK"]), world_size=2)
    r = dist.get_rank()
    def after(total):
        return total + 1
    def reduce(t):
        mine = t.clone()
        dist.all_reduce(t)
        return mine
    def say(text):
        sys.stdout.write(text + "\\n")
        sys.stdout.flush()
    dist.barrier()
    say("ready")
    t = torch.ones(1) * (r + 1)
    if r == 1:
        with open(sys.argv[1]) as f:        # a named pipe: until somebody writes
            f.read()
    reduce(t)
    say("rank %d sum %g" % (r, after(t.item())))
    dist.barrier()
    os._exit(0)
""")
LINES = [l.strip() for l in open(PROGRAM)]
folder = os.path.dirname(PROGRAM)
fifo = os.path.join(folder, "fifo")
os.mkfifo(fifo)
# a shell script is a launcher, too
launch = "for r in 0 1; do RANK=$r LOCAL_RANK=$r WORLD_SIZE=2 %s %s %s %s/store & done; wait" % (interpreter(), PROGRAM, fifo, folder)
job = subprocess.Popen(["sh", "-c", launch], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                       env=cdbgtest.environment({"OMP_NUM_THREADS": "1"}))
if [job.stdout.readline() for _ in range(2)] != ["ready\n"] * 2:
    raise Trouble("the job does not start")

p = Prompt("-nx", "--attach", str(job.pid))
p.says(r"^\[0\]\nstopped: interrupt \(waits in all_reduce seq 2 of default_pg\)\nreduce at .*prog\.py:%d\n" % (1 + LINES.index("dist.all_reduce(t)")),
       "a rank that waits in a collective stops there")
p.says(r"^\[1\]\nstopped: interrupt.*\n<module> at .*prog\.py:%d\n" % (1 + LINES.index("with open(sys.argv[1]) as f:        # a named pipe: until somebody writes")),
       "... and one that waits for a file there")
like(p.answer("rank 0 print mine.item()"), r"(?m)^\[0\] 1\.0$", "values can be asked for")
p.answer("rank all break after", "set ranks-patience 0.2")
p.send("continue")
with open(fifo, "w"):
    pass
p.says(r"^after at ", "when it goes on, breakpoints are hit")
p.send("detach")
is_((p.ended()[0], sorted(job.communicate(timeout=LIMIT)[0].splitlines()), job.returncode), (0, ["rank 0 sum 4", "rank 1 sum 4"], 0),
    "detach leaves the job, whose results are right")
done()
