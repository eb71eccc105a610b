#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A distributed job on gloo at one prompt: ranks that part, what they wait for, and output as without cdbg."""
import os
import re
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402
from ranks import LIMIT, Prompt  # noqa: E402

need_torch()
if not torch_has("torch._C._distributed_c10d._dump_fr_trace_json"):
    skip_all("this torch does not record the collectives of gloo")
WORLD = 2
# The compiler takes part in a collective, as sharded compilers do: a rank that compiles alone waits for ever.
PROGRAM = script("""
    import os, sys, time, torch, torch.distributed as dist, torch.distributed._functional_collectives as fc
    dist.init_process_group("gloo")
    r = dist.get_rank()
    other = dist.new_group(backend="gloo", group_desc="compile sync")
    def backend(gm, inputs):
        dist.barrier(group=other)
        return gm.forward
    @torch.compile(backend=backend)
    def f(x):
        y = x.sin() * 2
        return fc.all_reduce(y.sum(), "sum", dist.group.WORLD) + 1
    odd, late = int(sys.argv[1]), float(sys.argv[2])
    for step in range(4):
        time.sleep(late * r)
        x = torch.ones(9 if step == 2 and odd in (r, 9) else 8)
        sys.stdout.write("rank %d step %d %.5f\\n" % (r, step, f(x).item()))
        sys.stdout.flush()
    dist.barrier()
    os._exit(0)
""")


def job(odd, late, *options):
    return Prompt(*options, "--ranks=%d" % WORLD, command=[PROGRAM, str(odd), str(late)])


def steps(text):
    return sorted(re.findall(r"rank \d step \d \S+", text))


launch = [interpreter(), "-m", "torch.distributed.run", "--nproc-per-node", str(WORLD), PROGRAM, "9", "0"]
bare_out = subprocess.run(launch, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          env=cdbgtest.environment()).stdout
is_(len(steps(bare_out)), 4 * WORLD, "the program runs without cdbg")

# ---- one rank recompiles, and its compiler waits for the others ----

p = job(1, 0)
p.expect(r"^\[0-1\]\n<module> at .*prog.py:1\n")
p.send("catch divergence")
p.send("continue")
p.says(r"^divergence: the ranks have parted\n\[0\] waits in all_reduce seq 3 of default_pg, f prog\.py:\d+\n", "catch divergence says what the other rank waits in, and where")
p.says(r"^\[1\]\nstopped: f compiles again as 0/1: 0/0: x is f32\[9\] cpu, expected f32\[8\] cpu\nf at .*prog\.py:", "... and what this one does, and why")
p.answer()
like(p.answer("rank 1 info why"), r"check_tensor\(x, [\s\S]*prog\.py:\d+\n +expected f32\[8\] cpu\n +is +f32\[9\]", "... the guard and its line can be asked for")
like(p.answer("ranks"), r"^\[0\] waits in all_reduce seq 3 of default_pg, f prog\.py:\d+\n\[1\] stopped recompile f prog\.py:\d+\n\Z", "ranks tells both")
text = p.answer("info collectives")
like(text, r"^\[0\]\n[\s\S]*^default_pg +3 +all_reduce +gloo +waits [\s\S]*\[1\]\n", "info collectives has the one that waits")
like(text.partition("[1]")[2], r"^compile sync +1 +barrier +gloo +done", "... and those that are done, of each group")
is_(len(steps(p.seen)), 2 * WORLD, "the ranks have done the same steps until then")
p.send("quit")
is_(p.ended()[0], 0, "a rank that waits in a collective does not hold up quit")

# ---- all ranks do the same, at other times ----

p = job(9, 0.3, "-ex", "catch divergence", "-ex", "set ranks-patience 0.2", "-ex", "continue")
p.says(r"^the job has ended with status 0\n", "a job whose ranks do the same at other times ends")
unlike(p.seen, "divergence: the", "... without an alarm, though each compiled and recompiled")
is_(steps(p.seen), steps(bare_out), "... with the output that it has without cdbg")
p.send("quit")
p.ended()
done()
