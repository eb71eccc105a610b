#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The functions that inductor writes for sub-graphs are entered by steps, and stopped in by name, by kernel and at a NaN; with a cold and
# with a warm cache.
import os
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_inductor()

PROGRAM = """
    import torch
    torch.set_num_threads(1)
    torch.manual_seed(0)
    x, w = torch.linspace(-1, 1, 6), torch.randn(6, 6, requires_grad=True)
    def branches(x, y):
        a = x * 2
        def yes(a, y):
            return (a @ a) * torch.log(a) + y
        def no(a, y):
            return a.cos() + y
        return torch.cond(x.sum() > -100, yes, no, (a, y)) * 3
    def trained(x, w):
        def yes(a, w):
            return torch.tanh(a @ w) * 2
        def no(a, w):
            return a.sin() @ w
        return torch.cond(x.sum() > -100, yes, no, (x, w)).sum()
    c = torch.compile(branches, backend="inductor")
    for i in range(6):
        r = c(x + (2 if i < 2 else 0), torch.full((6,), float("nan")) if i == 1 else torch.ones(6))
        print(i, "%.5f" % torch.nan_to_num(r).sum().item())
    c = torch.compile(trained, backend="inductor")
    for i in range(3):
        w.grad = None
        r = c(x, w)
        r.backward()
        print(i, "%.5f %.5f" % (r.item(), w.grad.sum().item()), torch.get_rng_state().sum().item())
    """


def path_of(d, until):
    """The functions and nodes of the stops of stepg, up to one in this function."""
    seen = []
    while len(seen) < 100 and not d.exited:
        frame = d.go("stepg")["frame"]
        if frame["function"] == until:
            return seen
        seen.append((frame["function"], frame.get("node") or ""))
    return seen


with tempfile.TemporaryDirectory() as cache:
    for how in ("cold", "warm"):
        env = {"TORCHINDUCTOR_CACHE_DIR": cache}
        with Cdbg(PROGRAM, limit=400, env=env) as d:
            d.do("break branches")
            d.go()
            d.go()
            d.do("delete")
            d.do("catch nan")
            stop = d.go()               # not in the call whose input has a NaN
            is_((stop["reason"], stop["frame"]["function"]), ("nan", "true_graph_0"), "%s: catch nan stops in the branch that made it" % how)
            like(stop["detail"]["node"], "cpp_fused.*log", "... at the kernel")
            like(d.out.splitlines()[-1], "^1 ", "... in the first call that makes one from inputs without")
            like(d.text("bt"), r"(?s)#0 .*true_graph_0 at .*#1 .*(Runner\.)?call at .*#\d+ .*branches at", "bt has the branch, the graph and the function")
            rows = d.rows("info graph")
            is_({(r["node"], r["state"]) for r in rows}, {("true_graph_0_buf0", "done"), ("true_graph_0_buf1", "done")},
                "info graph has the branch's buffers")
            is_([r["nan"] for r in rows if r["node"] == "true_graph_0_buf1"], [3], "... with their figures")
            d.do("delete")
            d.do("break node:true_graph_0.cpp_*")
            stop = d.go()
            is_((stop["reason"], stop["frame"]["function"]), ("breakpoint", "true_graph_0"), "break node: takes a kernel of a sub-graph")
            like(d.text("print true_graph_0_arg0_1"), r"^tensor\(\[-2\.", "... whose inputs can be printed")
            is_(d.go("finish")["frame"]["function"], "true_graph_0", "finish goes to the end of the branch")
            is_(d.go("stepg")["frame"]["function"], "call", "... and a step leaves it for the graph around it")
            d.do("delete")
            d.do("catch kernel cpp_fused*log*")
            is_(d.go()["frame"]["function"], "true_graph_0", "catch kernel takes one in a sub-graph")
            d.do("delete")
            d.do("break trained")
            d.go()
            d.go()
            d.do("delete")
            forward = path_of(d, "trained")
            inside = [node for function, node in forward if function.startswith("true_graph")]
            ok(any("tanh" in node for node in inside), "stepg goes through the branch, forward", str(forward))
            path_of(d, "<module>")
            backward = path_of(d, "<module>")
            ok([f for f, _ in backward if f.startswith("true_graph")], "... and backward", str(backward))
            ok(not [f for f, _ in forward + backward if f.startswith("false_graph")], "... and not through the other one")
            d.run_out()
            is_((d.out, d.exited["status"]), bare(PROGRAM, env=env)[1::-1], "%s: the program's results are as without cdbg" % how)
done()
