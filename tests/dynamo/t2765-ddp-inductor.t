#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A graph that DDPOptimizer splits, compiled by inductor: each part has its code, and a backward graph that is compiled when it first runs is a
stage of its own part."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_inductor()
if not torch_has("torch.distributed.ProcessGroupGloo"):
    skip_all("torch has no gloo")
PROGRAM = """
    import torch
    import torch.distributed as dist
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
    dist._DEFAULT_FIRST_BUCKET_BYTES = 1
    torch.manual_seed(0)
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = torch.nn.Linear(3, 4), torch.nn.Linear(4, 2)
        def forward(self, x):
            x = torch.tanh(self.a(x))       # first
            return torch.tanh(self.b(x))    # second
    net = Net()
    step = torch.compile(torch.nn.parallel.DistributedDataParallel(net, bucket_cap_mb=1e-5))
    for _ in range(2):
        step(torch.ones(5, 3)).sum().backward()
    print("%.4f" % sum(p.grad.abs().sum() for p in net.parameters()))
    dist.destroy_process_group()
"""
STAGES = ["captured", "joint", "forward", "backward", "post-grad", "kernel"]
BACKWARD = ["post-grad-backward", "kernel-backward"]

with Cdbg(PROGRAM) as d:
    lines = [d.line_of("# first"), d.line_of("# second")]
    d.do("break Net.forward")
    d.go()
    d.go()                                      # after the first backward
    rows = d.rows("info graphs")
    for name in "submod_0", "submod_1":
        is_(sorted(row["stage"] for row in rows if row["graph"].endswith(name)), sorted(STAGES + BACKWARD), "%s has its stages, backward too" % name)
    for name, line in zip(("submod_0", "submod_1"), lines):
        is_({row["line"] for row in d.rows("graph show %s post-grad-backward" % name)} - {None}, {line}, "... with the lines of %s" % name)
    d.do("delete")
    d.do("catch kernel")
    found = []
    d.go()
    while not d.exited:
        ids = [row["id"] for row in d.rows("info links") if row["what"] == "node"]
        found += [({i.split(":")[0].partition(".")[2] for i in ids}, d.frame.get("user_line"))]
        d.go()
    is_({(*names, line) for names, line in found if len(names) == 1}, {("submod_0", lines[0]), ("submod_1", lines[1])},
        "a kernel's links and line are those of its part")
    is_([names for names, _ in found if len(names) > 1], [], "... and of no other")
    is_(d.out, bare(d.path)[1], "the program's output is as without cdbg")
done()
