#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph compare -backward where only gradients are wrong: the node of the backward or joint graph that makes them so is named.
A graph that has no gradients, an optimizer's, is compared without them."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
PROGRAM = """
    import torch
    from torch._dynamo.backends.common import aot_autograd
    aten = torch.ops.aten
    class Counted(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.randn(4))
            self.register_buffer("k", torch.tensor(1))
        def forward(self, x):
            self.k += 1
            return (x - 1) * self.w / self.k
    def as_it_is(gm, inputs):
        return gm.forward
    def last_off(gm, inputs):
        return lambda *args: [r if r is None or i != 1 else r + 1 for i, r in enumerate(gm(*args))]
    def slope(g, y):
        return g * (1 - y * y) + 1e-2 * y
    decomposed = aot_autograd(fw_compiler=as_it_is, bw_compiler=as_it_is, decompositions={aten.tanh_backward.default: slope})
    lowered = aot_autograd(fw_compiler=as_it_is, bw_compiler=last_off)
    torch.manual_seed(0)
    m, x, w = Counted(), torch.randn(4), torch.randn(4, 4, requires_grad=True)
    v = torch.randn(4, 4, requires_grad=True)
    def counted(x):
        return m(x)
    def deep(x, w, v):
        h = torch.sigmoid(x @ w)
        h = torch.tanh(h @ v + h)
        return (torch.relu(h + h.sin()) * 2).sum(0)
    def right(x, w, v):
        return deep(x, w, v)
    def off(x, w, v):
        return deep(x, w, v)
    p = [torch.nn.Parameter(torch.randn(4)), torch.nn.Parameter(torch.randn(3))]
    for q in p:
        q.grad = torch.ones_like(q)
    optimizer = torch.optim.Adam(p, lr=0.1)
    step = torch.compile(optimizer.step, backend="aot_eager")
    for f, backend, args in ((counted, BACKEND, (x,)), (right, "aot_eager", (x, w, v)), (deep, decomposed, (x, w, v)), (off, lowered, (x, w, v))):
        torch._dynamo.reset()
        torch.compile(f, backend=backend)(*args)
    torch._dynamo.reset()
    for i in range(2):
        step()
    print(m.k, p[0].sum().item(), w.grad, torch.get_rng_state().sum().item())
"""
# What CHANGED prints of a version of torch that computes the gradient from the buffer as it was.
RIGHT = "0.0\n"
CHANGED = PROGRAM[:PROGRAM.index("    p = [")] + """
    def gradient(f):
        m.k.fill_(1)
        m.w.grad = None
        f(x).sum().backward()
        return m.w.grad
    print((gradient(counted) - gradient(torch.compile(counted, backend="aot_eager"))).abs().max().item())
"""
is_right = bare(script(CHANGED))[1] == RIGHT
for backend in ["aot_eager"] + ["inductor"] * bool(shutil.which("g++")):
    with Cdbg(PROGRAM.replace("BACKEND", repr(backend)), limit=300) as d:
        def compared(function):
            d.do("tbreak " + function)
            d.go()
            return d.do("graph compare -backward")
        r = compared("counted")
        if is_right:
            is_(r["first"], None, "%s: a buffer that is changed after it was read: no node is wrong" % backend)
        else:
            is_((r["first"], [(row["node"], row["line"]) for row in r["rows"] if row["stage"] == "backward" and not row["ok"]]),
                ("iadd", [("iadd", line_of(d.path, "self.k += 1"))]),
                "%s computes a gradient from a changed buffer: the node of the backward graph that reads it is named" % backend)
            like(r["text"], r"the first wrong node is 'iadd' \(aten\.add\.Tensor\), stage backward, there 'add'", "... with its stage")
        if backend != "aot_eager":
            d.do("delete")
            d.run_out()
            continue
        r = compared("right")
        is_((r["first"], [row["node"] for row in r["rows"] if not row["ok"]]), (None, []), "right gradients: no node is wrong")
        r = compared("deep")
        is_([(row["node"], row["line"]) for row in r["rows"] if row["stage"] == "joint" and not row["ok"]],
            [("h_1", line_of(d.path, "torch.tanh(h @"))], "a wrong decomposition in the joint graph: named with the line of the forward")
        unlike(r["text"], "no single node explains it", "... and no note says that there is no node")
        ok(all([row["ok"] for row in r["rows"] if row["stage"] == "backward"]), "... the nodes of the backward graph are right by themselves")
        r = compared("off")
        like(r["text"], r"the first wrong node is '\w+' .*stage backward", "code of the backward graph that is wrong: its result is named")
        folder = os.path.dirname(d.path)
        d.do("break optimizer.step")
        d.go()
        d.go()
        r = d.do("graph compare -backward")
        is_((r["first"], all([row["ok"] for row in r["rows"]])), (None, True), "an optimizer's graph is compared without gradients")
        like(r["text"], "gradients of inputs were not compared: no value in the graph needs a gradient, as in that of an optimizer", "... with a note")
        d.do("graph save %s/optimizer.py -backward" % folder)
        status, out, err = bare(folder + "/optimizer.py")
        ok(status == 0 and out.count("right") > 2, "... and saved as a program that runs", out + err)
        like(d.error("graph reduce %s/reduced.py -backward" % folder), "does not differ from eager", "... graph reduce says that nothing differs")
        d.do("delete")
        d.run_out()
        is_(d.out, bare(d.path)[1], "the program's output is as without cdbg")
done()
