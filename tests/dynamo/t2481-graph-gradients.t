#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# graph compare -backward reports a gradient that the compiled graph does not give, and a note where no gradient is compared.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import torch
    import torch.utils.checkpoint
    torch.manual_seed(0)
    x, w = torch.randn(4, 4), torch.randn(4, 4, requires_grad=True)
    v = torch.randn(4, requires_grad=True)
    def without(gm, inputs):
        def run(*args):
            with torch.no_grad():
                return gm(*args)
        return run
    def less(gm, inputs):
        return lambda *args: gm(*[a.detach() if isinstance(a, torch.Tensor) and a.dim() == 1 else a for a in args])
    def f(x, w, v):
        return (x @ w).sin() + v
    def drawing(x, w):
        return torch.rand(4) + x @ w
    def unused(x, w, v):
        return (x @ w).sin(), v.detach() * 2
    def half(x):
        return torch.nn.functional.dropout(x, 0.5)
    def again(x, w):
        return torch.utils.checkpoint.checkpoint(half, x @ w, use_reentrant=False)
    for backend in (without, less, "aot_eager"):
        torch._dynamo.reset()
        torch.compile(f, backend=backend)(x, w, v)
    torch._dynamo.reset()
    torch.compile(f, backend="aot_eager")(x, w.detach(), v.detach())
    torch.compile(drawing, backend="aot_eager")(x, w)
    torch.compile(unused, backend="aot_eager")(x, w, v)
    torch.compile(again, backend="aot_eager")(x, w)
    print("%d" % torch.get_rng_state().sum().item())
    """


def compared(d, file=None):
    """The answer at the next graph, its notes, and what the program that is saved there says."""
    d.go()
    r = d.do("graph compare -backward")
    said = None
    if file:
        d.do("graph save %s -backward" % file)
        said = bare(file)
    return r, [line for line in r["text"].splitlines() if line.startswith("note: ")], said


def gradients(reply):
    return [row["ok"] for row in reply["rows"] if row["stage"] == "gradient"]


with Cdbg(PROGRAM, limit=300) as d:
    for function in ("f", "drawing", "unused", "again"):
        d.do("break %s" % function)
    file = os.path.join(os.path.dirname(d.path), "saved.py")
    r, notes, said = compared(d, file)
    like(" ".join(notes), r"gradients of l_w_, l_v_ differ from eager", "a backend that gives no gradients is reported")
    like(r["text"], r"(?m)^no node is wrong by itself, but the graph differs from eager$", "... and not as a graph without a wrong node")
    is_((said[0], said[1].count("right"), said[1].count("WRONG")), (1, 1, 2), "... the saved program has that backend, and names both gradients")
    said = bare(file, "eager")
    is_((said[0], said[1].count("right")), (0, 3), "... and with eager the result and both gradients are right")
    r, notes, _ = compared(d)
    like(" ".join(notes), r"gradients of l_v_ differ from eager", "... and one that leaves out that of one input")
    rows = {row["node"]: row["ok"] for row in r["rows"] if row["stage"] == "gradient"}
    is_(rows, {"l_w_ (gradient)": True, "l_v_ (gradient)": False}, "... each gradient is a row")
    r, notes, _ = compared(d)
    is_((r["first"], notes), (None, []), "right gradients are right, without a note")
    r, notes, _ = compared(d)
    like(" ".join(notes), "gradients of inputs were not compared: no input requires one", "a graph without gradients: a note")
    r, notes, _ = compared(d)
    is_((notes, set(gradients(r))), ([], {True}), "gradients of a graph that draws random numbers are compared where it draws eager's")
    r, notes, _ = compared(d)
    is_((r["first"], notes), (None, []), "an input that gets no gradient in eager either is right")
    r, notes, _ = compared(d)
    is_((notes, set(gradients(r))), ([], {True}), "... also if a checkpoint draws them, in eager's backward again")
    d.do("delete")
    d.run_out()
    is_(d.out, bare(d.path)[1], "the program's output and random numbers are as without cdbg")
done()
