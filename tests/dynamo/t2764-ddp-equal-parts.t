#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Equal parts of a graph that DDPOptimizer splits: code of the same text is told from that of other parts, forward and backward, and has the
lines of its own part."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
if not torch_has("torch.distributed.ProcessGroupGloo"):
    skip_all("torch has no gloo")
PROGRAM = """
    import sys, torch
    import torch.distributed as dist
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
    dist._DEFAULT_FIRST_BUCKET_BYTES = 1
    torch.manual_seed(0)
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.c = (torch.nn.Linear(3, 3) for _ in range(3))
        def forward(self, x):
            x = torch.relu(self.a(x))       # first
            x = torch.relu(self.b(x))       # second
            return torch.relu(self.c(x))    # third
    net = Net()
    step = torch.compile(torch.nn.parallel.DistributedDataParallel(net, bucket_cap_mb=1e-5), backend=sys.argv[1])
    for _ in range(2):
        step(torch.ones(2, 3)).sum().backward()
    print("%.3f" % sum(p.grad.abs().sum() for p in net.parameters()))
    dist.destroy_process_group()
"""
NAMES = ["submod_0", "submod_1", "submod_2"]
WEIGHTS = ["l_self_modules_%s_parameters_weight_" % name for name in "abc"]


def running(d):
    """(the part whose code runs, the line of the node) at a stop."""
    return re.search(r"submod_\d", d.text("graph code"))[0], d.frame.get("user_line")


for backend, node in ("aot_eager", "addmm"), ("eager", "linear"):
    with Cdbg(PROGRAM, backend) as d:
        lines = [d.line_of(text) for text in ("# first", "# second", "# third")]
        d.do("break Net.forward")
        d.go()
        d.go()
        d.do("delete")
        d.do("break node:%s" % node)
        found = []
        for _ in NAMES:
            d.go()
            found.append((*running(d), [row["node"] for row in d.rows("graph run -t") if row["node"].endswith("weight_")]))
        is_(found, [(name, line, [weight]) for name, line, weight in zip(NAMES, lines, WEIGHTS)],
            "%s: each part's code is its own, with its line, and graph run runs that part" % backend)
        d.do("delete")
        if backend == "aot_eager":
            d.do("break node:mm")
            found = []
            for _ in NAMES[1:]:
                d.go()
                found.append(running(d))
            is_(found, [(name, line) for name, line in zip(NAMES[:0:-1], lines[:0:-1])], "... backward, too, from the last part on")
            d.do("delete")
        d.run_out()
        is_(d.out, bare(d.path, backend)[1], "... and the program's output is as without cdbg")

with Cdbg(PROGRAM, "aot_eager") as d:
    d.do("break Net.forward")
    d.go()
    d.go()
    nodes = []
    d.go("stepg")
    while d.frame.get("function") == "forward" and len(nodes) < 60 and d.frame.get("kind") == "graph":
        nodes.append(d.frame["node"])
        d.go("stepg")
    is_([n for n in nodes if n.startswith("submod")], NAMES, "stepg steps from part to part")
    is_([n for n in nodes if n == "addmm"], ["addmm"] * 3, "... through each")
done()
