#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Checkpoints of a training loop: back from step 12 to step 4 and on again, with dropout and Adam, gives the same losses.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from family import all_gone, processes

need_torch()
PROGRAM = """
    import sys, torch
    torch.manual_seed(0)
    nn = torch.nn
    m = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Dropout(.1), nn.Linear(512, 256), nn.GELU(), nn.Linear(256, 10))
    o = torch.optim.Adam(m.parameters(), lr=1e-3)
    f = torch.compile(m, backend=sys.argv[1])
    losses = []
    def step(i):
        x = torch.randn(512, 256)
        y = torch.randint(0, 10, (512,))
        o.zero_grad()
        loss = nn.functional.cross_entropy(f(x), y)
        loss.backward()
        o.step()
        losses.append(loss.item())
    for i in range(12):
        step(i)
    g = torch.compile(lambda x: x.cos() * 3, backend=sys.argv[1])
    new = g(torch.ones(100000)).sum().item()
    print("end", losses[-1], new, flush=True)
"""


def train(backend):
    with Cdbg(PROGRAM, backend, limit=300) as d:
        d.do("break step if i == 4")
        d.do("break 19")
        d.go()
        is_(d.do("p i")["text"], "4", "%s: at step 4" % backend)
        d.do("checkpoint")
        d.go()
        first = d.do("p losses")["text"]
        is_(first.count("."), 12, "%s: twelve losses" % backend)
        d.go("checkpoint go 1")
        is_(d.do("p i, len(losses)")["text"], "(4, 4)", "%s: back at step 4" % backend)
        d.go()
        is_(d.do("p losses")["text"], first, "%s: the same losses, to the last digit" % backend)
        d.do("checkpoint")
        d.go("checkpoint go 1")
        d.go()
        is_(d.do("p losses")["text"], first, "%s: and once more" % backend)
        d.go("checkpoint go 3")
        is_(d.do("p losses")["text"], first, "%s: and in a checkpoint of a process that went back" % backend)
        memory = [r["memory"] for r in d.rows("info checkpoints") if r["kind"] == "taken"]
        ok(all(0 < n < 200e6 for n in memory), "%s: they hold little memory" % backend, memory)
        pids = list(processes(d).values())
        end = d.go()
        is_((end["event"], end["status"]), ("exited", 0), "%s: a new compile works there, and the program ends" % backend)
        like(d.out, r"end \d+\.\d+ 16\d+\.\d+\n$", "%s: with its output" % backend)
        d.do("quit")
    is_(d.proc.wait(), 0, "%s: status 0" % backend)
    is_(all_gone(pids), [], "%s: no process is left" % backend)


train("eager")
if has("torch._inductor"):
    need_inductor()
    train("inductor")
done()
