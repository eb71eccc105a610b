#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph compare judges all that the program's own code makes, where the graph compiled again is right: what it writes into inputs, gradients by
its own backward code, and results of another type, shape or number."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
HEAD = """
    import sys, torch
    from torch._dynamo.backends.common import aot_autograd
    from functorch.compile import make_boxed_func
    torch.set_num_threads(1)
    calls = []
    def compiler(gm, inputs):
        return make_boxed_func(gm.forward)
"""
PROGRAM = HEAD + """
    def f(x, w):
        y = x @ w
        w.add_(1)
        return y.sin(), y.relu() * 2, x.shape[0] + 1
    def once(gm, inputs):               # wrong the first time
        calls.append(gm)
        first = len(calls) == 1
        def run(*args):
            tensors = [a for a in args if isinstance(a, torch.Tensor)]
            out = list(gm.forward(*args))
            if first and how == "written":
                tensors[1][0].add_(1e-2)
            if first and how == "other input":
                tensors[0][0, 0] += 1
            return eval(RETURNED.get(how, "out")) if first else out
        return run
    RETURNED = {"shape": "[out[0], out[1].reshape(-1), out[2]]", "type": "[out[0].double(), *out[1:]]", "less": "out[:2]",
                "number": "[*out[:2], torch.tensor(out[2])]", "layout": "[out[0].to_sparse(), *out[1:]]", "device": "[out[0].to('meta'), *out[1:]]",
                "class": "[out[0].as_subclass(Other), *out[1:]]"}
    class Other(torch.Tensor):
        pass
    for how in sys.argv[1:]:
        torch._dynamo.reset()
        calls.clear()
        c = torch.compile(f, backend=once, dynamic=True)
        torch.manual_seed(0)
        x, w = torch.randn(4, 3), torch.randn(3, 3)
        for _ in range(2):
            try:
                c(x, w)
            except Exception:
                pass
        print("%s: sum %.4f %.4f" % (how, x.sum(), w.sum()))
"""
CASES = (
    ("right", [], None),
    ("written", ["l_w_ (written)"], "the values written into l_w_ of the code that the program runs are wrong"),
    ("other input", ["l_x_ (written)"], "the values written into l_x_ of the code that the program runs are wrong"),
    ("shape", ["mul (result 1)"], r"result 1 of the code that the program runs is float32 \[12\], eager's is float32 \[4, 3\]"),
    ("type", ["sin (result 0)"], r"result 0 of the code that the program runs is float64 \[4, 3\], eager's is float32 \[4, 3\]"),
    ("less", ["add (result 2)"], "the code that the program runs returns 2 results, the graph 3"),
    ("number", ["add (result 2)"], "result 2 of the code that the program runs is int64 .., eager's is the number of type int"),
    ("layout", ["sin (result 0)"], r"is float32 sparse_coo \[4, 3\], eager's"),
    ("device", ["sin (result 0)"], r"is float32 \[4, 3\] on meta, eager's"),
    ("class", ["sin (result 0)"], r"is Other float32 \[4, 3\], eager's"))
NAMES = [case[0] for case in CASES]
with Cdbg(PROGRAM, *NAMES) as d:
    d.do("break f")
    for how, wrong, told in CASES:
        d.go()
        d.go()
        r = d.do("graph compare")
        own = [row["node"] for row in r["rows"] if row["stage"] == "program"]
        rest = [row["node"] for row in r["rows"] if row["stage"] != "program" and row["ok"] is not True]
        is_((own, rest), (wrong, []), "%s: only what the program's own code makes wrong is" % how)
        if told:
            like(r["text"], "note: " + ".*" + told, "... and a note tells it")
            like(r["text"], "look for a cache with wrong code", "... and what to look for")
    d.do("delete")
    d.go()
    is_(d.out, python(d.path, *NAMES).stdout, "the program's output is as without cdbg")

# Gradients: the backward code of the first compile is wrong.
GRADIENTS = HEAD + """
    how = sys.argv[1]
    def backward(gm, inputs):
        calls.append(gm)
        first = len(calls) == 1
        def run(args):
            out = list(gm.forward(*args))
            return [out[0] * 1.01 if first and how == "wrong" else out[0], *out[1:]]
        run._boxed_call = True
        return run
    lin = torch.nn.Linear(3, 3)
    def f(x):
        x = x * 2
        return lin(x).sin()
    c = torch.compile(f, backend=aot_autograd(fw_compiler=compiler, bw_compiler=backward), dynamic=False)
    torch.manual_seed(0)
    for p in lin.parameters():
        torch.nn.init.normal_(p)
    fired = []
    lin.weight.register_hook(lambda g: fired.append(1))
    for _ in range(3):
        x = torch.randn(4, 3, requires_grad=True)
        c(x).sum().backward()
        print("%.4f %.4f %d" % (x.grad.sum(), lin.weight.grad.sum(), len(fired)))
"""
for how in "wrong", "right":
    with Cdbg(GRADIENTS, how) as d:
        d.do("break f")
        d.go()
        d.go()
        r = d.do("graph compare -backward")
        own = [row["node"] for row in r["rows"] if row["stage"] == "program"]
        is_(bool(own), how == "wrong", "gradients, %s: some of the program's own code are wrong, or none" % how)
        is_([row["node"] for row in r["rows"] if row["stage"] != "program" and not row["ok"]], [], "... and none of the graph compiled again")
        if how == "wrong":
            like(r["text"], "note: gradients of .* of the code that the program runs are wrong", "... which a note tells")
        r = d.do("graph compare")
        is_([row["node"] for row in r["rows"] if not row["ok"]], [], "... and without -backward nothing is")
        d.do("delete")
        d.go()
        is_(d.out, python(d.path, how).stdout, "... and gradients and hooks of the program are as without cdbg")

# Before the program's first backward its backward code is not there: it is not compiled for the program.
with Cdbg(GRADIENTS, "right") as d:
    d.do("break f")
    d.go()
    r = d.do("graph compare -backward")
    is_([row["node"] for row in r["rows"] if row["stage"] == "program"], [], "before the first backward its code is not judged")
    d.do("delete")
    d.go()
    is_(d.out, python(d.path, "right").stdout, "... and the program compiles it at its own first backward")
done()
