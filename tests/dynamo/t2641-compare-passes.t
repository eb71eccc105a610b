#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph compare names the node that a pass of inductor replaced by something else: a pass of the joint graph, or one before or after
inductor's own passes of the graph that is lowered, in inference, in training, and in the backward graph."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_inductor()
PROGRAM = """
    import sys, torch
    from torch._inductor import config
    from torch._inductor.custom_graph_pass import CustomGraphPass
    torch.set_num_threads(1)
    aten, pass_, wrong, put = torch.ops.aten, *sys.argv[1:]
    class Swap(CustomGraphPass):
        def __call__(self, graph):
            if pass_ == "backward" and not any("tangents" in n.name for n in graph.nodes):
                return
            for n in list(graph.nodes):
                if n.target is getattr(aten, wrong).default:
                    with graph.inserting_after(n):
                        m = graph.call_function(getattr(aten, put).default, n.args)
                    m.meta["val"] = n.meta["val"]
                    n.replace_all_uses_with(m)
                    graph.erase_node(n)
        def uuid(self):
            return repr(sys.argv).encode()
    if pass_ != "none":
        setattr(config, {"joint": "joint_custom_post_pass", "before": "post_grad_custom_pre_pass"}.get(pass_, "post_grad_custom_post_pass"), Swap())
    lin = torch.nn.Linear(16, 16)
    def between(x):
        a = torch.tanh(lin(x))
        b = torch.sin(a) * 2
        return (b.exp() + 1) @ x.t()
    def last(x):
        return torch.sin(torch.relu(lin(x)))
    def without(x):
        with torch.no_grad():
            y = torch.sin(x)
            return y.sum(1) + lin(x)[:, 0]
    x = torch.randn(4, 16, requires_grad=True)
    for f in between, last, without:
        c = torch.compile(f, dynamic=False)
        for i in range(2):
            r = c(x)
            if r.requires_grad:
                r.sum().backward()
    """
LINES = PROGRAM.split("\n")[1:]
LINE = {name: next(i for i, line in enumerate(LINES, 1) if text in line) for name, text in (
    ("between", "torch.sin(a)"), ("last", "torch.sin(torch.relu"), ("without", "y = torch.sin"))}
NODE = {"between": "sin", "last": "sin", "without": "y"}


def compared(pass_, wrong, put, names):
    with Cdbg(PROGRAM, pass_, wrong, put, limit=400) as d:
        for name in names:
            d.do("delete")
            d.do("break " + name)
            d.go()
            d.go()
            yield name, d.do("graph compare -backward")


for pass_ in "joint", "before", "after":
    for name, reply in compared(pass_, "sin", "cos", NODE):
        is_(reply["first"], NODE[name], "%s, a pass %s: the node is named that it took out" % (name, pass_))
        like(reply["text"], r"stage (forward|post-grad), there 'cos_default'\n  line: prog\.py:%d in " % LINE[name],
             "... with its line and what is in its place")
        like(reply["text"], r"put 'cos_default' \(aten\.cos\.default\) in the place of 'sin' \(aten\.sin\.default\)", "... and a note tells both")
for name, reply in compared("backward", "cos", "exp", ["between", "last"]):
    is_((reply["first"], "stage post-grad-backward" in reply["text"]), ("sin", True), "%s, a pass of the backward graph: the node is named" % name)
    like(reply["text"], r"\n  line: prog\.py:%d in " % LINE[name], "... with its line")
for name, reply in compared("none", "sin", "cos", NODE):
    is_((reply["first"], [r["node"] for r in reply["rows"] if r["ok"] is not True]), (None, []), "%s: right passes are right" % name)
done()
