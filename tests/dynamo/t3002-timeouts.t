#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A rank stands at a stop for longer than the timeout of the process group: the others wait while a controller is there."""
import os
import subprocess
import sys
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402
from ranks import LIMIT, Prompt  # noqa: E402

need_torch()
SECONDS = 2             # the timeout of the program
PROGRAM = script("""
    import datetime, os, sys, time, torch, torch.distributed as dist
    seconds = datetime.timedelta(seconds=%d)
    open(sys.argv[1] + os.environ["RANK"], "w").close()         # one that imports for longer is waited for
    while not all(os.path.exists(sys.argv[1] + r) for r in "01"):
        time.sleep(0.01)
    dist.init_process_group("gloo", init_method="file://" + sys.argv[1], rank=int(os.environ["RANK"]), world_size=2, timeout=seconds)
    other = dist.new_group([0, 1], timeout=seconds * 2)
    r = dist.get_rank()
    def timeouts():
        return [g._get_backend(torch.device("cpu")).options._timeout.total_seconds() for g in (dist.group.WORLD, other)]
    def say(*words):
        sys.stdout.write(" ".join(map(str, ("rank", r) + words)) + "\\n")
        sys.stdout.flush()
    def here():
        pass
    dist.barrier()
    if r == 0:
        here()
    t = torch.ones(1)
    try:
        dist.all_reduce(t)
        say("sum", t.item(), timeouts())
    except RuntimeError as e:
        say("failed", "imed out" in str(e) or type(e).__name__)
        os._exit(1)
    try:
        dist.new_group([0, 1], timeout=3)
    except TypeError as e:
        say(e)
    dist.barrier()
    say("end", timeouts())
    os._exit(0)
""" % SECONDS)
INIT = 6               # the line of init_process_group()
store = os.path.join(os.path.dirname(PROGRAM), "store")
stores = 0


def job(*lines):
    """A prompt whose rank 0 stands in here(), and the processes."""
    global stores
    stores += 1
    p = Prompt("--listen", "--world", "2")
    env = p.listening()
    env["PYTHONPATH"] += os.pathsep + cdbgtest.environment()["PYTHONPATH"]
    procs = [subprocess.Popen(cdbgtest.argv(PROGRAM, store + str(stores)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              env=cdbgtest.environment(dict(env, RANK=str(r), LOCAL_RANK=str(r), WORLD_SIZE="2"))) for r in range(2)]
    p.expect(r"^\[0-1\]\n<module> at")
    for line in ("set ranks-patience 0.5", "break here") + lines:
        p.answer(line)
    p.ask("continue", r"^here at .*|prog\.py:%d\n" % INIT)
    return p, procs


def outputs(procs):
    out = [proc.communicate(timeout=LIMIT)[0].strip().split("\n") for proc in procs]
    return out, [proc.returncode for proc in procs]


# ---- a rank that comes late, and then stands for long ----

p, procs = job("rank 1 break prog.py:%d" % INIT)
time.sleep(SECONDS * 2.5)           # the fact: it is later than the timeout
p.ask("continue", r"^here at .*")
time.sleep(SECONDS * 2.5)           # the fact: it stands for longer than both timeouts
like(p.answer("rank 0 print timeouts()"), r"\[86400\.0, 86400\.0\]", "groups that are made while a controller is there wait a day")
p.ask("continue", r"^all ranks have ended")
out, status = outputs(procs)
is_([o[0] for o in out], ["rank %d sum 2.0 [86400.0, 86400.0]" % r for r in range(2)], "a rank that comes later than the timeout, and stands for longer, fails nobody")
like(out[0][1], r"^rank 0 .*timedelta", "the program's own arguments are checked as ever")
is_(status, [0, 0], "... and the job ends right")
p.send("quit")
p.ended()

p, procs = job("set collective-timeout program")
like(p.answer("rank 0 print timeouts()"), r"\[2\.0, 4\.0\]", "set collective-timeout program leaves the timeouts alone")
p.send("set collective-timeout day")
like(p.answer("rank 0 print timeouts()"), r"\[86400\.0, 86400\.0\]", "... until it is set to a day")
p.send("set collective-timeout program")
like(p.answer("rank 0 print timeouts()"), r"\[2\.0, 4\.0\]", "... and gives them back")
is_([proc.wait(LIMIT) for proc in procs[1:]], [1], "the rank that waits fails then, as without cdbg")
like(procs[1].communicate()[0], r"^rank 1 failed True", "... by the timeout of its group")
p.send("quit")
p.ended()
procs[0].kill()
procs[0].communicate()

p, procs = job()
p.send("detach")
p.ended()
out, status = outputs(procs)
is_([out[0][0], out[0][-1], status], ["rank 0 sum 2.0 [2.0, 4.0]", "rank 0 end [2.0, 4.0]", [0, 0]], "detach gives the program its timeouts back")
done()
