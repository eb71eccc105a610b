#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""--attach to the launcher of a distributed job, which was started without cdbg: one prompt for its ranks, which are left as they were."""
import json
import os
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402
from ranks import LIMIT, Prompt  # noqa: E402

need_torch()
WORLD = 2
PROGRAM = script("""
    import os, subprocess, sys, torch, torch.distributed as dist
    dist.init_process_group("gloo")
    r = dist.get_rank()
    @torch.compile(backend="eager")
    def f(x):
        return (x.sin() * 2).sum()
    want = [f(torch.ones(n)).item() for n in (8, 9)]
    child = subprocess.Popen(["sleep", "1000"])         # it has RANK, too
    before = len(os.listdir("/proc/self/fd"))
    sys.stdout.write("ready\\n")
    sys.stdout.flush()
    right = True
    while not os.path.exists(sys.argv[1]):
        right = right and f(torch.ones(8)).item() == want[0]
    child.kill()
    dist.barrier()
    sys.stdout.write("rank %d %s %d\\n" % (r, "right" if right else "WRONG", len(os.listdir("/proc/self/fd")) - before))
    sys.stdout.flush()
    dist.barrier()
    os._exit(0)
""")
flag = os.path.join(os.path.dirname(PROGRAM), "end")
launch = [interpreter(), "-m", "torch.distributed.run", "--nproc-per-node", str(WORLD), PROGRAM, flag]
job = subprocess.Popen(launch, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                       env=cdbgtest.environment({"OMP_NUM_THREADS": "1", "RANK": "0"}))      # that of a pod, which is none of the job
if [job.stdout.readline() for _ in range(WORLD)] != ["ready\n"] * WORLD:
    raise Trouble("the job does not start")

# ---- at a prompt -----------------------------------------------------------------------------------------------------
p = Prompt("-nx", "--attach", str(job.pid))
p.says(r"^stopped: interrupt", "the ranks stop where they are")
like(p.answer("ranks"), r"(?s)(?=.*\[(0-1|0)\] stopped interrupt)(?=.*(\[0-1\]|\[1\]) stopped interrupt)", "both are there, and their children are not")
like(p.answer("rank 1 info entries"), r"0/0 +f[\s\S]*0/1 +f[\s\S]*size mismatch", "what they compiled before is known")
p.send("rank all break f")
p.send("continue")
p.says(r"^stopped: breakpoint 1", "a breakpoint is hit")
p.send("quit")
is_((p.ended()[0], job.poll()), (0, None), "quit leaves the job running")

# ---- for a program ---------------------------------------------------------------------------------------------------
p = subprocess.Popen(cdbgtest.argv("-m", "cdbg", "-nx", "--json", "-p", str(job.pid)), env=cdbgtest.environment(), stdin=subprocess.PIPE,
                     stdout=subprocess.PIPE, text=True)
events, ranks = [], set()
while len(ranks) < WORLD:
    events.append(json.loads(p.stdout.readline()))
    if events[-1].get("event") == "stopped":
        ranks |= set(events[-1].get("ranks", [events[-1].get("rank")]))
is_((events[0].get("event"), events[0].get("world")), ("ready", WORLD), "--json: a second time")
is_(ranks, {0, 1}, "both ranks stop")
p.communicate("detach\n", timeout=LIMIT)
is_((p.returncode, job.poll()), (0, None), "and are left")

open(flag, "w").close()
out = job.communicate(timeout=LIMIT)[0]
is_(sorted(out.splitlines()), ["rank 0 right 0", "rank 1 right 0"], "the results of all are right, and no descriptor is left")
done()
