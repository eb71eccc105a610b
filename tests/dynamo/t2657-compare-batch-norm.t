#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph compare -backward of a convolution with a bias before a batch norm: the gradient of the bias is 0 but for rounding, and inductor
lays out the convolution otherwise than was traced."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_inductor()
PROGRAM = """
    import sys, torch
    import torch.nn as nn
    from torch._inductor import decomposition
    torch.set_num_threads(1)
    torch.manual_seed(0)
    if sys.argv[1] == "planted":
        def tanh_backward(gradient, y):
            return gradient * (1 - y * y) * 1.01
        decomposition.decompositions[torch.ops.aten.tanh_backward.default] = tanh_backward
    net = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.Tanh(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64, 5))
    def f(x):
        y = net[1](net[0](x))
        y = net[2](y)       # its gradient
        y = net[5](net[4](net[3](y)))
        return nn.functional.log_softmax(y, -1)
    c = torch.compile(f)
    for i in range(2):
        c(torch.randn(4, 3, 8, 8)).sum().backward()
    """
CANCELS = """
    import torch
    def off_by(by):
        class Off(torch.fx.Interpreter):
            def run_node(self, n):
                v = super().run_node(n)
                if n.name == "y":
                    v = v + torch.tensor([by] + [0] * 7, dtype=v.dtype)
                return v
        return lambda gm, inputs: lambda *args: Off(gm).run(*args)
    def f(x):
        y = x * 3
        return (y - 3).sum()
    for dtype, unit in (torch.float32, 2 ** -22), (torch.float64, 2 ** -51), (torch.bfloat16, 2 ** -6):
        for by in unit, 100 * unit:
            torch._dynamo.reset()
            c = torch.compile(f, backend=off_by(by))
            for i in range(2):
                c(torch.ones(8, dtype=dtype))
    """
with Cdbg(CANCELS) as d:
    for dtype in "float32", "float64", "bfloat16":
        for by, right in ("a unit of the last place", True), ("100 of them", False):
            d.do("tbreak f")
            d.go()
            d.do("tbreak f")
            d.go()
            is_([r["ok"] for r in d.rows("graph compare")], [right], "%s: a sum that is 0 in eager, of values one of which differs by %s" % (dtype, by))
for how in "right", "planted":
    # a cache of another run may hold code of the planted decomposition
    with tempfile.TemporaryDirectory() as cache, Cdbg(PROGRAM, how, env={"TORCHINDUCTOR_CACHE_DIR": cache}, limit=600) as d:
        d.do("tbreak f")
        d.go()
        reply = d.do("graph compare -backward")
        if how == "right":
            is_([r["node"] for r in reply["rows"] if r["ok"] is not True], [], "nothing of a right backend is wrong")
            like(reply["text"], "^no wrong node found$", "... and the verdict reports it")
            path = os.path.join(os.path.dirname(d.path), "saved.py")
            d.do("graph save %s -backward" % path)
        else:
            wrong = [(r["stage"], r["line"]) for r in reply["rows"] if r["ok"] is False and r["stage"] != "gradient"]
            is_(wrong, [("joint", d.line_of("# its gradient"))], "a wrong gradient is named where torch made it")
    if how == "right":
        out = python(path, limit=300)
        ok(out.returncode == 0 and "WRONG" not in out.stdout, "the program that 'graph save' writes finds nothing wrong", out.stdout + out.stderr)
done()
