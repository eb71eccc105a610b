#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph compare names the node whose value a pass of inductor changed otherwise than by another node of its name: the pass puts a node
after it, takes it out, calls it with other arguments, or returns something else for it."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_inductor()
PROGRAM = """
    import torch
    from torch._inductor import config
    from torch._inductor.custom_graph_pass import CustomGraphPass
    torch.set_num_threads(1)
    aten = torch.ops.aten
    def find(graph, op):
        return next((n for n in graph.nodes if n.target is op.default), None)
    def scale(graph, n):
        with graph.inserting_after(n):
            m = graph.call_function(aten.mul.Tensor, (n, 1.5))
        m.meta["val"] = n.meta["val"]
        n.replace_all_uses_with(m, delete_user_cb=lambda u: u is not m)
    def put(graph):
        scale(graph, find(graph, aten.tanh))
    def drop(graph):
        n = find(graph, aten.relu)
        n.replace_all_uses_with(n.args[0])
        graph.erase_node(n)
    def merge(graph):
        n = find(graph, aten.cos)
        n.replace_all_uses_with(find(graph, aten.sin))
        graph.erase_node(n)
    def arguments(graph):
        next(n for n in graph.nodes if n.target is aten.mul.Tensor).update_arg(1, 4.0)
    def nothing(graph):
        pass

    def put_between(x):
        a = torch.tanh(x + 1)           # put_between
        return torch.sigmoid(a) * 2
    def put_last(x):
        a = x.exp()
        return torch.tanh(a)            # put_last
    def drop_between(x):
        a = torch.relu(x)               # drop_between
        return torch.sigmoid(a) * 2
    def drop_last(x):
        return torch.relu(x)            # drop_last
    def merge_last(x):
        a = x * 2
        b = torch.cos(a)                # merge_last
        return torch.sin(a), b
    def arguments_between(x):
        a = x * 3                       # arguments_between
        return torch.sigmoid(a)
    def nothing_between(x):
        a = torch.sin(x)
        return a + 1, torch.sin(x) + 1, a, x.view(-1), x + 0
    x = torch.randn(4, 16)
    for f, edit in ((put_between, put), (put_last, put), (drop_between, drop), (drop_last, drop), (merge_last, merge),
                    (arguments_between, arguments), (nothing_between, nothing)):
        class Pass(CustomGraphPass):
            def __call__(self, graph):
                edit(graph)
            def uuid(self):
                return edit.__name__.encode()
        with config.patch(post_grad_custom_pre_pass=Pass()):
            c = torch.compile(f, dynamic=False)
            for i in range(2):
                c(x)
    """
# function: the node, what the note says that the pass did
NAMED = {
    "put_between": ("a", r"put 'mul\w*' \(aten\.mul\.Tensor\) before 'sigmoid', which read 'tanh'"),
    "put_last": ("tanh", r"put 'mul\w*' \(aten\.mul\.Tensor\) in the place of 'tanh' \(aten\.tanh\.default\)"),
    "drop_between": ("a", r"took 'relu' \(aten\.relu\.default\) out: 'sigmoid' reads 'arg0_1'"),
    "drop_last": ("relu", r"return 'arg0_1' in the place of 'relu' \(aten\.relu\.default\)"),
    "merge_last": ("b", r"return 'sin' in the place of 'cos' \(aten\.cos\.default\)"),
    "arguments_between": ("a", r"called 'mul' \(aten\.mul\.Tensor\) with \(arg0_1, 4\.0\), where it was \(arg0_1, 3\)"),
}
with Cdbg(PROGRAM, limit=400) as d:
    for name, (node, note) in NAMED.items():
        d.do("break " + name)
        d.go()
        d.go()
        reply = d.do("graph compare")
        is_(reply["first"], node, "%s: the node is named whose value the pass changed" % name)
        like(reply["text"], r"line: prog\.py:%d in %s\n" % (d.line_of("# " + name), name), "... with its line")
        like(reply["text"], "note: passes of inductor " + note, "... and a note tells what the pass did")
        d.do("delete")
    d.do("break nothing_between")
    d.go()
    d.go()
    reply = d.do("graph compare")
    is_((reply["first"], [r["node"] for r in reply["rows"] if r["ok"] is not True]), (None, []),
        "where passes merge what is equal and return inputs for what equals them, nothing is wrong")
done()
