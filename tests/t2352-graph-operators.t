#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Graphs with a while_loop, or with torch.cond and dynamic sizes, are compared with every backend.  What graph save writes runs, also with checkpoint; what would not is
# refused, or says what is missing.
import os
import shutil
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import torch
    from torch._higher_order_ops.while_loop import while_loop
    from torch.utils.checkpoint import checkpoint
    def loop(i, x):
        return while_loop(lambda i, x: i < 4, lambda i, x: (i + 1, x * 1.5 + i), (i, x))
    def block(x, a):
        return torch.tanh(x @ a)
    def narrow(x, a):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return block(x, a)
    def kept(x, a):
        return (checkpoint(block, x, a, use_reentrant=False) ** 2).sum()
    def narrowed(x, a):
        return (checkpoint(narrow, x, a, use_reentrant=False) ** 2).sum()
    @torch.library.custom_op("mine::twice", mutates_args=())
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x * 2
    @twice.register_fake
    def _(x):
        return torch.empty_like(x)
    def calls(x):
        return twice(x) + 1
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x
        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g
    def squared(x):
        return Square.apply(x) + 1
    x = torch.linspace(-1, 1, 16).reshape(4, 4).requires_grad_()
    with torch.no_grad():
        c = torch.compile(loop, backend="aot_eager")
        for i in range(2):
            print(c(torch.tensor(0), torch.ones(3))[1].tolist())
    def branches(x):
        return torch.cond(x.sum() > 0, lambda x: (x * 2).cos(), lambda x: x.sin() - 1, (x,)) + 1
    with torch.no_grad():
        c = torch.compile(branches, backend=inductor, dynamic=True)
        for i in range(2):
            c(torch.ones(3 + i, 2))
    for f, args in ((kept, (x, x)), (narrowed, (x, x)), (calls, (x.detach(),)), (squared, (x,))):
        c = torch.compile(f, backend="eager")
        for i in range(2):
            c(*args)
    print("done")
    """


def run_alone(file, *words):
    r = subprocess.run([interpreter(), file, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    return r.returncode, r.stdout


with Cdbg(PROGRAM.replace("backend=inductor", "backend=%r" % ("inductor" if shutil.which("g++") else "aot_eager")), limit=300) as d:
    folder = os.path.dirname(d.path)
    kept, calls, squared = [os.path.join(folder, name + ".py") for name in ("kept", "calls", "squared")]

    def stop_in(name):
        d.do("delete")
        d.do("break " + name)
        d.go()
        d.go()
    stop_in("loop")
    r = d.cmd("graph compare")
    ok(r["ok"] and r["first"] is None and r["rows"] and all([row["ok"] for row in r["rows"]]), "while_loop, aot_eager: compared", str(r)[-600:])
    stop_in("branches")
    r = d.cmd("graph compare")
    ok(r["ok"] and r["first"] is None and r["rows"] and all([row["ok"] for row in r["rows"]]), "torch.cond, dynamic sizes: compared", str(r)[-600:])
    stop_in("kept")
    d.do("graph save %s -backward" % kept)
    stop_in("narrowed")
    like(d.error("graph save " + squared), "calls _enter_autocast in a sub-graph", "checkpoint and autocast: refused")
    ok(d.cmd("graph compare -backward")["ok"], "... graph compare -backward compares it")
    stop_in("calls")
    like(d.error("graph save " + calls), r"node '\w+' calls mine\.twice, which the program defines in '.*prog\.py'",
         "an operator that the program registered: refused")
    stop_in("squared")
    like(d.error("graph save " + squared), "calls autograd_function_apply.*'graph compare' compares it here", "an autograd.Function: refused")
    ok(not os.path.exists(squared), "... and nothing is written")
    ok(d.cmd("graph compare")["ok"], "... graph compare compares it")
    d.do("delete")
    d.go()
    is_(d.out, "[13.3125, 13.3125, 13.3125]\n" * 2 + "done\n", "the program continues as before")
r, out = run_alone(kept)
ok(r == 0 and out.count("right") == 2, "a graph with checkpoint: the program runs and compares the gradients, too", out)
done()
