#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What cdbg keeps of a captured graph is the graph as Dynamo passed it to its backend, with every kind of argument, whatever the backend
does to it afterwards."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
PROGRAM = """
    import collections, copy, gc, sys, torch, weakref
    Pair = collections.namedtuple("Pair", "a b")
    @torch._dynamo.allow_in_graph
    def pick(table, pair, *, more):
        return table["x"][0] * pair.a + pair.b + more[1]
    seen = []
    def ruins(gm, inputs):
        whole = torch.fx.GraphModule(gm, copy.deepcopy(gm.graph))
        for n in list(gm.graph.nodes):
            if n.op == "call_function":
                n.meta.clear()
                n.target, n.kwargs = torch.zeros_like, {}
                n.args = n.args[:1]
        seen.append(weakref.ref(gm.graph))
        return whole.forward
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.up = torch.nn.Linear(4, 4)
            self.register_buffer("scale", torch.full((4,), 3.0))
        def forward(self, x, n):
            a = torch.cat([x, x * self.scale], dim=-1)
            b = a[n:, ..., 1:5:2]
            c, d = torch.split(a, [3, 5], dim=1)
            e = torch.nn.functional.pad(self.up(x), (1, 1), mode="constant", value=float("inf"))
            f = pick({"x": [x, (x,)]}, Pair(x, 2), more=(1, x))
            g = torch.cond(x.sum() > 0, lambda t: t[0] + 1, lambda t: t[1] - 1, (x,))
            return b.sum() + c.sum() - d.sum() + f.sum() + g.sum() + x.new_zeros(x.shape).sum(), e.clamp(max=9)
    torch.manual_seed(3)
    model, x = Model(), torch.randn(6, 4)
    compiled = torch.compile(model, backend=ruins, dynamic=True, fullgraph=True)
    with torch.no_grad():
        out = compiled(x, 2)
        out = compiled(x, 2)
    gc.collect()
    print("graphs alive:", sum(r() is not None for r in seen))
    print("%.4f %.4f" % (out[0].item(), out[1].sum().item()))
"""


with Cdbg(PROGRAM) as d:
    d.do("tbreak Model.forward")
    d.go()
    d.do("tbreak Model.forward")
    d.go()
    rows = {r["node"]: r for r in d.rows("graph run 0/0")}
    d.run_out()
    out = d.out


def has(name, key, value, why):
    is_(rows.get(name, {}).get(key), value, why)


has("a", "shape", [6, 8], "a list of nodes is kept")
has("b", "shape", [4, 2], "slices with a node in them are kept")
has("split", "dtype", "tuple of 2 tensors", "a list of numbers is kept")
has("e", "inf", 12, "a keyword argument that is infinite is kept")
has("f", "target", "__main__.pick", "a call with a dict and a named tuple is kept")
has("cond_true_0.add", "shape", [4], "a sub-graph is kept")
has("size", "dtype", "Size", "a method is kept")
like(out, "graphs alive: 0\n", "the graph that the backend got, and ruined, is not kept alive")
is_("%.4f" % rows.get("add_3", {}).get("min", 0), out.split()[-2], "the result of the run is the program's")
done()
