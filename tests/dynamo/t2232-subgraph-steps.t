#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The sub-graphs of higher-order operators: stepped into, stopped in by name, shown and run, with the program's results unchanged.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

HEAD = """
    import sys
    import torch
    torch.manual_seed(0)
    """
TAIL = """
    for turn in range(3):
        r = call()
        print(["%.6f" % t.detach().double().sum().item() for t in torch.utils._pytree.tree_leaves(r)])
    """
GRAD = """
    x, w = torch.randn(4, 4, requires_grad=True), torch.randn(4, 4)
    c = torch.compile(f, backend="eager")
    def call():
        x.grad = None
        r = c(x, w)
        r.sum().backward()
        return r, x.grad
    """
CHECKPOINT = """
    from torch.utils.checkpoint import checkpoint
    def inner(a, w):
        b = torch.sin(a @ w)
        return b * 2
    def f(x, w):
        y = checkpoint(inner, x, w, use_reentrant=False)
        return y.cos()
    """ + GRAD
FUNCTION = """
    class Mine(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            b = x.sin()
            return b * 2
        @staticmethod
        def backward(ctx, g):
            x, = ctx.saved_tensors
            h = x.cos()
            return g * h * 2
    def f(x, w):
        y = Mine.apply(x)
        return y + w
    """ + GRAD
WHILE = """
    from torch._higher_order_ops import while_loop
    def f(i, x):
        return while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, x.sin() * 2), (i, x))[1] + 1
    i, x = torch.tensor(0), torch.ones(4)
    c = torch.compile(f, backend="eager")
    def call():
        return c(i, x)
    """
SCAN = """
    from torch._higher_order_ops import scan
    def f(x):
        def add(c, a):
            b = c + a.sin()
            return b, b * 2
        return scan(add, torch.zeros(4), x)[1] + 1
    x = torch.ones(2, 4)
    c = torch.compile(f, backend="eager")
    def call():
        return c(x)
    """
FLEX = """
    from torch.nn.attention.flex_attention import flex_attention
    def f(q):
        def score(s, b, h, i, j):
            t = s * 2
            return t + (i - j)
        return flex_attention(q, q, q, score_mod=score) + 1
    q = torch.randn(1, 1, 16, 16)
    c = torch.compile(f, backend="eager")
    def call():
        return c(q)
    """
REGION = """
    @torch.compiler.nested_compile_region
    def block(x):
        b = torch.sin(x)
        return b + 1
    def f(x):
        return block(block(x)) * 2
    x = torch.randn(4, 4)
    c = torch.compile(f, backend="eager")
    def call():
        return c(x)
    """
# the operator, its sub-graph, the nodes of that, how often it runs in one call
CASES = [("checkpoint", CHECKPOINT, "tag_activation_checkpoint", "wrap_body_0", ["matmul", "b", "mul"], 1),
         ("autograd.Function", FUNCTION, "autograd_function_apply", "fwd_body_0", ["b"], 1),
         ("while_loop", WHILE, "while_loop", "body_fn_0", ["sin"], 2),
         ("scan", SCAN, "scan", "scan_combine_fn_0", ["sin", "b"], 2),
         ("flex_attention", FLEX, "flex_attention", "score_mod_0", ["t", "sub", "add"], 1),
         ("nested_compile_region", REGION, "invoke_subgraph", "subgraph_0", ["b", "add"], 2)]
NEEDS = {"scan": "torch._higher_order_ops.scan", "nested_compile_region": "torch.compiler.nested_compile_region"}

for what, program, operator, sub, nodes, times in CASES:
    if what in NEEDS and not torch_has(NEEDS[what]):
        skip(what, "this version of torch lacks it")
        continue
    program = HEAD + program + TAIL
    plain = bare(program)[1]
    with Cdbg(program, limit=240) as d:
        d.do("break f")
        d.go()
        d.go()
        rows = [r["node"] for r in d.rows("graph run")]
        inner = [n for n in rows if n.startswith(sub + ".")]
        names = [n.split(".")[1] for n in inner]
        is_(sorted(set(nodes) - set(names)), [], "%s: graph run shows the sub-graph's nodes" % what)
        ok(rows.index(inner[-1]) < rows.index(operator), "... before the operator's", str(rows))
        shown = [r["node"] for r in d.rows("graph show " + sub)]
        is_([n for n in nodes if n not in shown], [], "... graph show lists them")
        is_(d.text("complete break node:%s.%s" % (sub, nodes[0][:1])).count("node:%s.%s" % (sub, nodes[0])), 1, "... Tab completes the name")
        d.do("delete")
        d.do("tbreak node:" + operator)
        is_(d.go()["frame"].get("node"), operator, "... the operator itself stops the program")
        seen, path = [], []
        while len(seen) < 400 and not d.exited:
            stop = d.go("step")
            node = stop["frame"].get("node")
            path.append(node)
            if stop["frame"]["function"] != "forward":
                break
            if node in nodes and sub in d.rows("info graph")[0]["graph"]:
                seen.append(node)
        seen = seen[:len(nodes) * times]
        is_(seen, nodes * times, "... steps go through its nodes, %d time%s" % (times, "s" if times > 1 else ""))
        note("steps: %s, then %s" % (path, stop["frame"]["function"]))
        d.do("delete")
        d.do("break node:%s.%s" % (sub, nodes[-1]))
        is_(d.go()["frame"].get("node"), nodes[-1], "... break node: stops in it, in the next call")
        d.go("stepg") if what == "checkpoint" else d.do("info graph")
        d.do("delete")
        d.run_out()
        is_(d.out, plain, "... and the program's results and gradients are as ever")

with Cdbg(HEAD + FUNCTION + TAIL, limit=240) as d:
    d.do("break f")
    d.go()
    d.do("delete")
    d.go("next")
    d.do("break node:bwd_body_0.h")
    stop = d.go()
    is_(stop["frame"].get("node"), "h", "break node: stops in the backward of an autograd.Function")
    like(d.rows("info graph")[0]["graph"], "bwd_body_0", "... in its sub-graph")
    like(d.text("where"), r"(?s)#0 .*forward.*call", "... below the program's own frames")

ERROR = HEAD + """
    from torch.utils.checkpoint import checkpoint
    def f(x, n):
        return checkpoint(lambda a: a.view(n, n) * 2, x, use_reentrant=False)
    c = torch.compile(f, backend="eager")
    class Odd(torch.Tensor):
        pass
    c(torch.ones(16), 4)
    try:
        c(torch.ones(16), 4)
        print(torch.fx.Interpreter(torch.fx.symbolic_trace(lambda x: x + 1)).run(torch.ones(2)).sum().item())
        print(repr(torch.fx.Interpreter.run)[:30], torch.fx.Interpreter.run.__name__)
    except Exception as e:
        print(type(e).__name__)
    """
with Cdbg(ERROR, limit=240) as d:
    d.run_out()
    is_(d.out, bare(ERROR)[1], "the program's own use of the interpreter is as without cdbg")
done()
