#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A NaN that a sub-graph makes stops once, in the sub-graph, with each operator and backend; inductor's calls of sub-graphs are named by these.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

HEAD = """
    import sys, torch
    torch.set_num_threads(1)
    torch.manual_seed(0)
    x, w = torch.linspace(-1, 1, 6), torch.randn(6, 6, requires_grad=True)
    """
TAIL = """
    c = torch.compile(f, backend=sys.argv[1])
    for i in range(3):
        r = c(x, w)
        if r.requires_grad:
            w.grad = None
            r.sum().backward()
        print(i, torch.nan_to_num(r.detach()).sum().item(), torch.get_rng_state().sum().item())
    """
COND = """
    def f(x, w):
        def yes(a):
            return torch.log(a) + 1
        def no(a):
            return a.cos()
        return torch.cond(x.sum() > -100, yes, no, (x * 2,)) * 3
    """
NESTED = """
    def f(x, w):
        def yes(a):
            return torch.cond(a.sum() > 100, lambda a: a.sin(), lambda a: torch.log(a), (a + 1,))
        def no(a):
            return a.cos()
        return torch.cond(x.sum() > -100, yes, no, (x * 2,)) * 3
    """
LOOP = """
    def f(x, w):
        def more(i, a):
            return i < 3
        def body(i, a):
            return i + 1, torch.log(a - 0.9) * 1
        return torch.while_loop(more, body, (torch.tensor(0), x + 2))[1] * 3
    """.replace("torch.while_loop", "torch._higher_order_ops.while_loop")
MAP = """
    from torch._higher_order_ops.map import map as over
    def f(x, w):
        return over(lambda a, b: torch.log(a) * b, x.reshape(2, 3), torch.ones(3)) * 3
    """
REGION = """
    @torch.compiler.nested_compile_region
    def part(a):
        return torch.log(a) * 2
    def f(x, w):
        return part(x * 2) + 1
    """
FUNCTION = """
    class Log(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, w):
            ctx.save_for_backward(w)
            return torch.log(a) @ w
        @staticmethod
        def backward(ctx, g):
            return None, g.expand(6, 6)
    def f(x, w):
        return Log.apply(x, w) * 3
    """
# stops a call, and what has to be there
CASES = [("cond", COND, 1, None), ("nested cond", NESTED, 1, None), ("while_loop", LOOP, 1, "torch._higher_order_ops.while_loop"),
         ("map", MAP, 1, "torch._higher_order_ops.map"), ("nested_compile_region", REGION, 1, "torch.compiler.nested_compile_region"),
         ("autograd.Function", FUNCTION, 1, None)]


def stops(program, backend):
    """(node, innermost function or its number of nodes) of each stop of catch nan."""
    seen = []
    with Cdbg(program, backend, limit=300) as d:
        d.do("catch nan")
        while not d.exited and len(seen) < 50:
            stop = d.go()
            if stop.get("reason") == "nan":
                rows = d.rows("info graph")
                seen.append((stop["detail"]["node"], max(r["nan"] or 0 for r in rows)))
        return seen, (d.out, d.exited and d.exited["status"])


for what, text, each, needs in CASES:
    if needs and not torch_has(needs):
        skip("%s: catch nan stops once" % what, "torch has no %s" % needs)
        continue
    for backend in ("eager", "aot_eager")[:1 if what in ("nested cond", "map", "autograd.Function") else 2]:
        program = HEAD + text + TAIL
        alone = bare(script(program), backend)
        if alone[0]:
            skip("%s, %s: catch nan stops once" % (what, backend), "torch does not compile it")
            continue
        seen, result = stops(program, backend)
        is_(len(seen), 3 * each, "%s, %s: a NaN that a sub-graph makes stops once a call" % (what, backend))
        is_({node for node, _ in seen}, {"log"}, "... at the node that made it")
        ok(all(nan for _, nan in seen), "... where it is shown", str(seen))
        is_(result, alone[1::-1], "... and the results are as without cdbg")

need_inductor()
with Cdbg(HEAD + COND + TAIL, "inductor", limit=400) as d:
    d.do("break f")
    d.go()
    d.go()
    d.do("delete")
    d.do("catch nan")
    is_(d.go()["frame"]["function"], "true_graph_0", "inductor: catch nan stops in the branch")
    d.do("delete")
    d.do("tbreak node:cpp*mul*")
    is_(d.go()["frame"]["function"], "call", "... and a kernel after it stops in the call around it")
    rows = {r["target"]: r for r in d.rows("info graph")}
    is_(rows["true_graph_0"]["state"], "freed", "the branch that ran is a row with its name")
    is_((rows["false_graph_0"]["state"], rows["false_graph_0"]["seconds"]), (None, None), "... the one that did not is not done")
    d.do("catch kernel")
    d.do("break node:true_graph_0")
    seen = []
    while len(seen) < 20 and d.frame.get("node") != "true_graph_0":
        d.go()
        seen.append(d.frame.get("node"))
    is_((d.reason, d.frame["node"]), ("breakpoint", "true_graph_0"), "break node: takes the name of a sub-graph that is called")
    ok(not [name for name in seen if name.startswith("buf")], "catch kernel stops at kernels, not at the call of a branch", str(seen))
    d.do("delete")
    is_(d.go("finish")["frame"]["function"], "call", "finish goes to the end of the graph")
    d.run_out()
    is_((d.out, d.exited["status"]), bare(d.path, "inductor")[1::-1], "the results are as without cdbg")
for what, text, each, needs in CASES:
    if what in ("nested cond", "while_loop", "nested_compile_region") and (not needs or torch_has(needs)):
        program = HEAD + text + TAIL
        if bare(script(program), "inductor", limit=300)[0]:
            skip("%s, inductor: catch nan stops once" % what, "torch does not compile it")
            continue
        seen, _ = stops(program, "inductor")
        is_(len(seen), 3 * each, "%s, inductor: catch nan stops once a call" % what)
done()
