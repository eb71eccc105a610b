#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Graphs whose sizes depend on values, or change from call to call, are compiled again with symbols: graph compare compares them with
# aot_eager and inductor, names a wrong operation, and compares the code for all sizes where the program runs that.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_inductor()

PROGRAM = """
    import sys
    import torch
    torch._dynamo.config.capture_dynamic_output_shape_ops = torch._dynamo.config.capture_scalar_outputs = True
    torch.set_num_threads(1)
    def found(x, w):
        y = x @ w
        return y[torch.nonzero(y[:, 0] > 0).squeeze(1)].cos().sum() + y.mean()  # found
    def masked(x, w):
        y = (x @ w).tanh()
        return torch.masked_select(y, y > 0).cos()  # masked
    def unique(x, w):
        u, i = torch.unique((x * 3).int(), return_inverse=True)
        return u.float().cos(), i.float() @ w  # unique
    def repeated(x, w):
        return (torch.repeat_interleave(x, (x[:, 0] > 0).long() + 1, dim=0) @ w).cos()  # repeated
    def cut(x, w):
        n = (x[:, 0] > 0).sum().item()
        torch._check(n >= 0)
        torch._check(n <= x.shape[0])
        return x[:n].cos() @ w  # cut
    def anysize(x, w):
        return (x @ w).cos() * x.shape[0]  # anysize
    if "planted" in sys.argv:
        from torch._inductor import lowering
        lowering.lowerings[torch.ops.aten.cos.default] = lowering.lowerings[torch.ops.aten.sin.default]
    torch.manual_seed(0)
    x, w = torch.randn(16, 8), torch.nn.Parameter(torch.randn(8, 8))
    for f in (found, masked, unique, repeated, cut, anysize):
        c = torch.compile(f, backend=sys.argv[1], fullgraph=True, dynamic=True if f is anysize or "dynamic" in sys.argv else None)
        with torch.set_grad_enabled("trained" in sys.argv):
            for i in range(2):
                r = c(x, w)
        print(f.__name__, sum(t.double().sum().item() for t in torch.utils._pytree.tree_leaves(r)), int(x.sum() + w.sum()))
    """
NAMES = ("found", "masked", "unique", "repeated", "cut", "anysize")


def stops(d):
    for name in NAMES:
        d.do("delete")
        d.do("break " + name)
        d.go()
        d.go()
        yield name


for how in ("aot_eager", "inductor", "inductor dynamic", "aot_eager trained"):
    lines = ["graph compare", "graph compare -backward"]
    with Cdbg(PROGRAM, *how.split(), limit=600) as d:
        odd = {}
        for name in stops(d):
            for line in lines:
                r = d.cmd(line)
                if not r["ok"] or r["first"] or not r["rows"] or "differ" in r["text"]:
                    odd[name, line] = r.get("error") or r["text"]
        is_(odd, {}, "%s: graphs with sizes that depend on values are compared, and nothing is wrong" % how)
        d.do("delete")
        d.go()
        alone = bare(PROGRAM, *how.split(), limit=600)[2]  # a torch for CUDA logs that triton is missing
        is_((untimed(d.err), d.out.count("\n")), (untimed(alone), len(NAMES)),
            "%s: the program continues, and prints nothing else" % how)

with Cdbg(PROGRAM, "inductor", "planted", limit=600) as d:
    found = {}
    for name in stops(d):
        r = d.do("graph compare")
        wrong = next((row for row in r["rows"] if row["ok"] is False and row["stage"] == "kernel"), {})
        found[name] = (r["first"], wrong.get("target"), wrong.get("line"))
    is_({n: (f[1], f[2]) for n, f in found.items()}, {n: ("aten.cos.default", d.line_of("# " + n)) for n in NAMES},
        "a wrong operation in such a graph is named, with its line")
    like(d.text("graph recompile anysize") + d.text("graph show anysize kernel"), r"const int64_t ks0",
         "the graph that was compared again is that for all sizes")
done()
