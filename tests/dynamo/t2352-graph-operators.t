#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Graphs with a while_loop, or with torch.cond and dynamic sizes, are compared with every backend.  What graph save writes runs, also with checkpoint, autocast within it,
# an autograd.Function and flex_attention; what would not run is refused, or says what is missing.
import os
import shutil
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import torch
    from torch._higher_order_ops.while_loop import while_loop
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
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
            with torch.no_grad():
                return x * x
        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g
    def squared(x):
        return Square.apply(x) + 1
    mask = create_block_mask(lambda b, h, i, j: i >= j, 1, 1, 128, 128, device="cpu")
    def attends(x):
        q = (x.reshape(1, 1, 1, 16) * torch.arange(128).reshape(1, 1, 128, 1)).sin()
        return flex_attention(q, q + 1, q, score_mod=lambda s, b, h, i, j: s - 0.1 * (i - j), block_mask=mask) * 2
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
    for f, args in ((kept, (x, x)), (narrowed, (x, x)), (calls, (x.detach(),)), (squared, (x,)),
                    (attends, (x.detach(),))):
        c = torch.compile(f, backend="eager")
        for i in range(2):
            c(*args)
    print("done")
    """


WRONG = """
import runpy, sys, torch
def wrong(module, inputs):
    return lambda *args: [t * 2 for t in module(*args)]
torch._dynamo.register_backend(wrong)
sys.argv = [sys.argv[1], "wrong"]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run_alone(*words):
    r = python(*words, env={"PYTHONPATH": ""}, limit=300)
    return r.returncode, r.stdout + r.stderr


with Cdbg(PROGRAM.replace("backend=inductor", "backend=%r" % ("inductor" if shutil.which("g++") else "aot_eager")), limit=300) as d:
    folder = os.path.dirname(d.path)
    kept, calls, narrowed, squared, attends = [os.path.join(folder, name + ".py") for name in ("kept", "calls", "narrowed", "squared", "attends")]

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
    d.do("graph save %s -backward" % narrowed)
    ok(d.cmd("graph compare -backward")["ok"], "checkpoint and autocast: graph compare -backward compares it")
    stop_in("calls")
    d.do("graph save " + calls)
    with open(calls) as f:
        like(f.read(), r"twice", "an operator that the program registered: its definition is written")
    stop_in("squared")
    d.do("graph save %s -backward" % squared)
    stop_in("attends")
    d.do("graph save " + attends)
    d.do("delete")
    d.go()
    is_(d.out, "[13.3125, 13.3125, 13.3125]\n" * 2 + "done\n", "the program continues as before")
r, out = run_alone(kept)
ok(r == 0 and out.count("right") == 2, "a graph with checkpoint: the program runs and compares the gradients, too", out)
for file, most, what in ((narrowed, 2, "checkpoint with autocast in it"), (squared, 2, "an autograd.Function"), (attends, 1, "flex_attention")):
    r, out = run_alone(file, "aot_eager")
    ok(r == 0 and out.count("right") == most, "a graph with %s: the program runs and compares" % what, out)
    r, out = run_alone("-c", WRONG, file)
    ok(r == 1 and "WRONG" in out, "... and finds what another backend does wrong", out)
done()
