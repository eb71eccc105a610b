#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph compare names the node, and its line, that gives a result another type or shape, and each named node with its own operation."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
PROGRAM = """
    import torch
    from torch._dynamo.backends.common import aot_autograd
    from functorch.compile import make_boxed_func
    torch.set_num_threads(1)
    aten = torch.ops.aten
    def decomposed(op, how):
        return aot_autograd(fw_compiler=lambda gm, i: make_boxed_func(gm.forward), decompositions={op: how})
    def pass_(gm, inputs):
        for n in gm.graph.nodes:
            if n.name == "b":
                with gm.graph.inserting_after(n):
                    m = gm.graph.call_method("double", (n,))
                n.replace_all_uses_with(m)
                m.args = (n,)
        gm.recompile()
        return gm.forward
    def returns(gm, inputs):
        return lambda *a: [v.double() for v in gm.forward(*a)]
    def f(x):
        a = x.sin()
        b = a.cos()
        c = b.amax(1)
        return c + 1
    for backend in (decomposed(aten.cos.default, lambda x: (x + 1.5707963267948966).double().sin()),
                    decomposed(aten.amax.default, lambda x, dim=(), keepdim=False: torch.ops.aten.max.dim(x, dim[0], True)[0]),
                    decomposed(aten.cos.default, lambda x: torch.ops.aten.clone(x + 1.5707963267948966).sin()),
                    pass_, returns):
        torch._dynamo.reset()
        c = torch.compile(f, backend=backend, dynamic=False)
        for grad in False, False:
            try:
                c(torch.linspace(0, 1, 12).view(3, 4))
            except Exception:
                pass
"""
LINES = PROGRAM.split("\n")[1:]


def line_of(text):
    return next(i for i, line in enumerate(LINES, 1) if text in line)


with Cdbg(PROGRAM) as d:
    d.do("break f")
    for what, node, target, text, words in (
            ("a decomposition in float64", "b", r"aten\.\w+\.\w+", "b = a.cos()", r"it is float64 \[3, 4\], eager's is float32 \[3, 4\]"),
            ("a decomposition that keeps a dimension", "c", r"aten\.\w+\.\w+(?:\[\d\])?", "c = b.amax", r"it is float32 \[3, 1\], eager's is float32 \[3\]"),
            ("a right decomposition", None, None, None, None),
            ("a pass of the backend", "c", "amax", "c = b.amax", r"it is float64 \[3\], eager's is float32 \[3\]"),
            ("what the backend returns", "add", r"_operator\.add", "return c + 1", r"it is float64 \[3\], eager's is float32 \[3\]")):
        d.go()
        d.go()
        r = d.do("graph compare")
        is_(r["first"], node, "%s: the node is named" % what)
        if node:
            like(r["text"], r"the first wrong node is '%s' \(%s\), stage .*\n  line: prog\.py:%d in f\n.*%s" % (node, target, line_of(text), words),
                 "... with its line, and what it is")
            is_([row["ok"] for row in r["rows"] if row["node"].partition(" ")[0] == node and row["line"] == line_of(text)][-1:], [False], "... and its row is wrong")
        else:
            is_([row["node"] for row in r["rows"] if not row["ok"]], [], "... and no row is wrong")

need_inductor()
PROGRAM = """
    import torch
    from torch._inductor import lowering
    torch.set_num_threads(1)
    aten = torch.ops.aten
    @torch.library.custom_op("t2781::mirror_into", mutates_args=("out",))
    def mirror_into(src: torch.Tensor, out: torch.Tensor) -> None:
        for i in range(src.shape[0]):
            out[src.shape[0] - 1 - i] = src[i]
    def mirror(v):
        keep = v.clone()
        mirror_into(keep, v)
        return v + 1
    def f(x):
        a = x.sin()
        b = a.cos()
        return b * 2 + a
    old = lowering.lowerings[aten.cos.default]
    lowering.lowerings[aten.cos.default] = lambda x: lowering.to_dtype(old(x), torch.float64)
    c = torch.compile(f, dynamic=False)
    c(torch.ones(4))
    c(torch.ones(4))
    c = torch.compile(mirror, dynamic=False)
    c(torch.arange(6.0))
    c(torch.arange(6.0))
"""
LINES = PROGRAM.split("\n")[1:]
with Cdbg(PROGRAM, limit=400) as d:
    d.do("break f")
    d.do("break mirror")
    d.go()
    d.go()
    r = d.do("graph compare")
    is_(r["first"], "b", "a kernel in float64: the node is named")
    like(r["text"], r"\(aten\.cos\.default\), stage kernel.*\n  line: prog\.py:%d in f\n  kernel: cpp_.*\n.*it is float64 \[4\], eager's is float32 \[4\]"
         % line_of("b = a.cos()"), "... with its line and kernel")
    d.go()
    d.go()
    r = d.do("graph compare")
    if r["first"] is None:
        skip("an operator that a pass took out is named", "this torch compiles one whose argument was copied before")
    else:
        like(r["text"], r"the first wrong node is 'mirror_into_default' \(t2781\.mirror_into\.default\), stage .*\n  line: prog\.py:%d in " %
             line_of("mirror_into(keep, v)"), "an operator that a pass took out is named with its own operation and line")
    for row in r["rows"]:
        if row["node"] == "mirror_into_default":
            is_(row["target"], "t2781.mirror_into.default", "... in the table, too")
done()
