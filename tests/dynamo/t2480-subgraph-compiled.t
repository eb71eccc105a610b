#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Inductor compiles a backward graph when backward() first needs it, and runs its sub-graphs on fake tensors then: nothing stops there.
import os
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_inductor()

PROGRAM = """
    import torch
    torch.set_num_threads(1)
    torch.manual_seed(0)
    x, w = torch.randn(4, 4), torch.randn(4, 4, requires_grad=True)
    def f(x, w):
        def yes(x, w):
            return torch.cond(x.max() > 0, lambda x, w: (x @ w).sin(), lambda x, w: x * w, (x, w))
        return torch.cond(x.sum() > -100, yes, lambda x, w: x.cos() + w, (x, w)).sum()
    c = torch.compile(f, backend="inductor")
    r = c(x, w)
    r.backward()  # here
    print("%.5f %.5f" % (r.item(), w.grad.sum().item()), torch.get_rng_state().sum().item())
    """

with tempfile.TemporaryDirectory() as cache, Cdbg(PROGRAM, limit=400, env={"TORCHINDUCTOR_CACHE_DIR": cache}) as d:
    d.do("break %d" % d.line_of("# here"))
    d.go()
    d.do("break node:*")
    seen = []
    while not d.exited and len(seen) < 40:
        stop = d.go("stepg" if len(seen) % 2 else "continue")
        seen.append((stop.get("frame") or {}).get("function"))
        if seen[-1] == "<module>":
            d.do("delete")
    ok("forward" not in seen, "no stop in what inductor runs while it compiles the backward graph", str(seen))
    ok(any(f and "_graph_" in f for f in seen), "... but in the backward's branches when they run", str(seen))
    is_((d.out, d.exited and d.exited["status"]), bare(d.path)[1::-1], "the results are as without cdbg")
done()
