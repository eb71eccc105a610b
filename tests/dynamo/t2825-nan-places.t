#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""catch nan shows the line that made the NaN: of a node, forward and backward, of a graph's part, and not where eager code made it before."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
PROGRAM = """
    import sys
    import torch
    torch.manual_seed(0)
    def forward(x):
        a = x - 2
        b = a.sqrt()    # here
        c = b + 1
        return c
    def backward(x):
        a = x * 1
        b = a.sqrt()    # there
        return b.sum()
    @torch.compiler.disable
    def aside(x):
        return (x - 5).log()
    def broken(x):
        a = aside(x + 1)
        return a.cos() * 2
    backend = sys.argv[1]
    torch.compile(forward, backend=backend)(torch.ones(3))
    x = torch.zeros(3, requires_grad=True)
    torch.compile(backward, backend=backend)(x).backward()
    torch.compile(broken, backend=backend)(torch.tensor([1.0, float("nan")]))
    torch.compile(broken, backend=backend)(torch.ones(3))
    print(x.grad)
    """
for backend in "eager", "aot_eager":
    with Cdbg(PROGRAM, backend, limit=120) as d:
        d.do("catch nan")
        stop = d.go()
        line = d.line_of("# here")
        is_((stop["frame"]["user_line"], stop["detail"]["user_line"]), (line, line), "%s: the stop shows the line of the node" % backend)
        is_((stop["detail"]["nan"], stop["detail"]["elements"]), (3, 3), "... with how many of its values are NaN")
        is_([r["line"] for r in d.rows("info source") if r["current"]], [line], "... 'info source' marks it")
        stop = d.go("stepg")
        is_(stop["frame"]["user_line"], line + 1, "... and a step continues at the next line")
        if backend != "eager":
            stop = d.go()
            is_((stop["frame"]["user_line"], stop["detail"]["inf"]), (d.line_of("# there"), 3), "backward: the line whose derivative is infinite is shown")
        d.go()
        is_((d.out, d.exited["status"]), bare(PROGRAM, backend)[1::-1], "%s: catch nan does not stop at a NaN from outside or from between the graphs" % backend)

text = run(PROGRAM, "eager", options=["--plain", "-q"], commands=["catch nan", "continue", "detach"])[1]
like(text, r"^stopped: b made 3 NaN and 0 Inf of 3 values at prog\.py:6, 'b = a\.sqrt\(\)    # here'; its inputs had no NaN$", "people read the count, the line and its text")

if torch_has("torch.distributed.ProcessGroupGloo"):
    with Cdbg("""
        import torch
        import torch.distributed as dist
        dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
        dist._DEFAULT_FIRST_BUCKET_BYTES = 1
        torch.manual_seed(0)
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.b = torch.nn.Linear(3, 4), torch.nn.Linear(4, 2)
            def forward(self, x):
                x = torch.tanh(self.a(x))
                y = (x - 9).sqrt()    # first
                return self.b(torch.nan_to_num(y)).log() - 1    # second
        step = torch.compile(torch.nn.parallel.DistributedDataParallel(Net(), bucket_cap_mb=1e-5), backend="aot_eager")
        print(step(torch.ones(5, 3)).sum().isnan().item())
        dist.destroy_process_group()
        """, limit=120) as d:
        d.do("catch nan nan")
        is_([d.go()["frame"]["user_line"] for _ in range(2)], [d.line_of("# first"), d.line_of("# second")], "each part of a graph that DDPOptimizer splits has its lines")
else:
    skip("each part of a graph that DDPOptimizer splits has its lines", "torch has no gloo")
done()
