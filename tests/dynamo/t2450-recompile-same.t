#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# graph recompile: inductor writes the code that the program runs, also where sizes are symbols, inputs are parameters and numbers are
# read from tensors, so the code that runs keeps its lines.
import os
import shutil
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_inductor()

PROGRAM = """
    import torch
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.up, self.down = torch.nn.Linear(8, 12), torch.nn.Linear(12, 8)
        def forward(self, x):
            y = torch.relu(self.up(x))
            return x + self.down(y)
    def sizes(a, b, n):
        c = torch.sin(a).sum(1, keepdim=True)
        return torch.relu(c + b * n).cumsum(0)
    def read(x, y):
        n = y.item()
        return torch.where(x > n, x * n, x)
    torch._dynamo.config.capture_scalar_outputs = True
    torch.manual_seed(0)
    reads = torch.compile(read)
    net = torch.compile(Net(), dynamic=True)
    some = torch.compile(sizes, dynamic=True)
    for i in range(3):
        net(torch.randn(4 + i, 8)).sum().backward()
        some(torch.randn(3 + i, 7 + i), torch.randn(3 + i, 4), 5 + i)
        reads(torch.randn(4, requires_grad=True), torch.tensor(2 + i)).sum().backward()
        print("round", i)
    """


def code(d, graph, stage):
    """Inductor's code, without the number that its first line counts."""
    return d.text("graph show %s %s" % (graph, stage)).split("\n", 1)[1]


def user_line(d):
    """The program's line at the first step into the graph that runs next."""
    stop = d.go("stepg")
    d.go("finish")
    return stop["frame"].get("user_line")


folder = tempfile.mkdtemp(prefix="cdbg-t2450-")
for what in ("cold", "warm"):
    with Cdbg(PROGRAM, env={"TORCHINDUCTOR_CACHE_DIR": folder}, limit=300) as d:
        d.do("tbreak 24")
        d.go()
        net, some, reads = (d.rows("info graphs %s" % e)[0]["graph"] for e in ("0/0", "1/0", "2/0"))
        ran = {(g, s): code(d, g, s) for g, s in ((net, "kernel"), (net, "kernel-backward"), (some, "kernel"), (reads, "kernel"),
                                                  (reads, "kernel-backward"))}
        for function, entry, graph, line in (("Net.forward", "0/0", net, 7), ("sizes", "1/0", some, 10), ("read", "2/0", reads, 13)):
            d.do("tbreak " + function)
            d.go()
            d.do("graph recompile " + entry)
            for g, s in ran:
                if g == graph:
                    text = code(d, g, s)
                    ok("async_compile" in text and text == ran[g, s], "%s: the code of %s %s, compiled again for other sizes, is the program's" % (what, function, s))
            like(d.text("graph compare " + entry), "no wrong node found", "%s: %s is compared for other sizes than those at compile time" % (what, function))
            if function == "sizes":
                like(d.text("graph compare 1/0 with a=torch.ones(9,5) b=torch.ones(9,4) n=11"), "no wrong node found", "%s: ... and for sizes that are given" % what)
            is_(user_line(d), line, "%s: %s has the program's lines where it runs" % (what, function))
shutil.rmtree(folder)
done()
