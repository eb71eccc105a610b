#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# graph compare sees what inductor's kernels write into parts of the result of torch.cat, and the result itself; it judges no value that
# the kernel which made it wrote over.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_inductor()

PROGRAM = """
    import sys, torch
    from torch._inductor import lowering
    torch.set_num_threads(1)
    lowerings, aten = lowering.lowerings, torch.ops.aten
    if "planted" in sys.argv:
        lowerings[aten.cos.default] = lowerings[aten.sin.default]
    def rotate(x, angle):
        c = torch.cos(angle)
        s = torch.sin(angle)
        a, b = x[..., ::2], x[..., 1::2]
        return torch.cat([a * c - b * s, a * s + b * c], -1)
    def nested(x, angle):
        inner = torch.cat([x.exp(), angle.cos(), angle + 1], -1)
        return torch.cat([x, inner * 2, inner.tanh()], -1).sum(0)
    def over(x, angle):
        return (x * 3).put(torch.tensor([1, 2]), torch.ones(2))
    x, angle = torch.randn(6, 16), torch.randn(6, 8)
    for f in rotate, nested, over:
        c = torch.compile(f, backend="inductor", dynamic=False)
        for i in range(2):
            c(x, angle)
    """

for how in "right", "planted":
    with Cdbg(PROGRAM, how, limit=400) as d:
        for name, line in (("rotate", 8), ("nested", 13), ("over", None))[:2 + (how == "right")]:
            d.do("delete")
            d.do("break " + name)
            d.go()
            d.go()
            reply = d.do("graph compare")
            if how == "planted":
                is_(reply["first"], {"rotate": "c", "nested": "cos"}[name],
                    "%s: a wrong cosine that is computed into a part of the result is named" % name)
                like(reply["text"], r"\n  line: prog\.py:%d in %s\n" % (line, name), "... with its line")
                continue
            rows = [r for r in reply["rows"] if r["stage"] == "kernel"]
            is_([r["node"] for r in reply["rows"] if not r["ok"]], [], "%s: nothing is wrong that is right" % name)
            if name == "rotate":
                is_([r["target"] for r in rows], ["aten.sub.Tensor", "aten.add.Tensor", "aten.cat.default"],
                    "... its parts and its result are compared")
                is_(len({r["kernel"] for r in rows}), 1, "... each with the kernel that writes it")
done()
