#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Compiles beside Dynamo's entries: captures of compiled autograd with torch's reasons, parts under DistributedDataParallel.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
PROGRAM = """
    import torch
    import torch._dynamo.compiled_autograd as ca
    told = []


    class Logger:
        level = 7

        def debug(self, text):
            told.append(text)


    def compiler(gm):
        return torch.compile(gm, backend="eager")


    def run(f):
        w = torch.ones(3, requires_grad=True)
        with ca._enable(compiler):
            f(w).sum().backward()
        return round(w.grad.sum().item(), 4)


    print(run(torch.sin), run(torch.sin))
    torch._C._dynamo.compiled_autograd.set_verbose_logger(logger := Logger())
    print(run(torch.cos))
    torch._C._dynamo.compiled_autograd.set_verbose_logger(None)
    print(run(torch.exp))
    print(len(told), [t for t in told if "CosBackward0" in t] != [])
    end = 1
    """
with Cdbg(PROGRAM) as d:
    d.do("break prog.py:%d" % d.line_of("end = 1"))
    d.go()
    rows = d.rows("info compile-time")
    missed = [r["misses"] for r in rows if r["misses"]]
    is_(len(missed), 3, "each capture of compiled autograd has torch's reason")
    for reason, node in zip(missed, ("GraphRoot", "CosBackward0", "ExpBackward0")):
        like(reason, "^Cache miss due to new autograd node: .*" + node, "%s: the node that is new" % node)
    if torch_version() > (2, 6):
        captures = [r for r in rows if r["entry"].startswith("!") and "/" not in r["entry"]]
        ok(len(captures) == 3 and all(r["seconds"] > 0 and r["pass"] == "backward" for r in captures), "and a row of its own", rows)
    d.run_out()
    out = d.out
is_(out, bare(script(PROGRAM))[1], "the program's own logger gets what it gets without cdbg")
like(run(script(PROGRAM), commands=["continue", "info compile-time"])[1], r"(?m)^!?\d.*: compiled autograd: Cache miss due to new autograd node: ", "people read the reason")

with Cdbg("""
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)


    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = torch.nn.Linear(600, 600), torch.nn.Linear(600, 500)

        def forward(self, x):
            return self.second(torch.relu(self.first(x)))


    ddp = torch.nn.parallel.DistributedDataParallel(Net(), bucket_cap_mb=1)
    torch.compile(ddp, backend="eager")(torch.ones(2, 600))
    end = 1
    dist.destroy_process_group()
    """) as d:
    d.do("break prog.py:%d" % d.line_of("end = 1"))
    d.go()
    entry = next(r["entry"] for r in d.rows("info graphs") if r["graph"].endswith("submod_0"))
    parts = {r["graph"].split(".")[-1]: (r["nodes"], r["parameters"], r["bytes"]) for r in d.rows("info graphs") if "submod" in r["graph"]}
    is_({k: v[1:] for k, v in parts.items()}, {"submod_0": (2, 1442400), "submod_1": (2, 1202000)}, "info graphs: the parts of the graph, their parameters and bytes")
    text = d.text("explain " + entry)
    like(text, r"DistributedDataParallel compiles graph __compiled_fn_\d+ in parts:\n", "explain says that it is compiled in parts")
    for name, (nodes, parameters, size) in parts.items():
        like(text, r"\n +%s +%d nodes?, %d parameters, %d bytes\n" % (name, nodes, parameters, size), "and what %s has" % name)
done()
