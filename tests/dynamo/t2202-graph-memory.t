#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# graph compare holds few values at once; it compares gradients, and graph reduce keeps what makes them wrong.
import os
import shutil
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

LARGE = """
    import resource
    import sys
    import torch
    torch.set_num_threads(1)
    def f(x, w):
        for i in range(12):
            x = torch.tanh(x) @ w
        return x
    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    torch.manual_seed(0)
    x, w = torch.randn(1 << 16, 64), torch.randn(64, 64) / 8
    c = torch.compile(f, backend=sys.argv[1])
    with torch.no_grad():
        for i in range(2):
            r = c(x, w)
    del r
    print("done")
    """
# each value has 16 MiB; the graph needs three of them at once, and makes 24
if not shutil.which("g++"):
    skip("what inductor compiles", "no g++: inductor cannot compile")
else:
    with Cdbg(LARGE, "inductor", limit=400) as d:
        d.do("break f")
        d.go()
        d.go()
        d.do("graph compare with x=x[:64]")     # what a compile takes is no part of it
        before = int(d.text("print peak()").split()[-1])
        r = d.cmd("graph compare")
        after = int(d.text("print peak()").split()[-1])
        ok(r["ok"] and r.get("first", 0) is None, "nothing is wrong", str(r.get("error") or r.get("text"))[:300])
        ok(sum(row["stage"] == "kernel" for row in r["rows"]) >= 10, "all kernels are compared", str(len(r["rows"])))
        note("peak before %d MiB, after %d MiB" % (before, after))
        ok(after - before < 400, "the memory is that of few values, not of all (384 MiB a run, and twice that in float64)", "%d MiB" % (after - before))
        like(d.error("graph compare with x=torch.empty(1,64).expand(1<<24,64)") or "", r"the comparison needs about [\d.]+ GB of memory; '-f' makes it",
             "a large comparison is refused with the estimate")

CANCELS = """
    import torch
    def f(x):
        return [torch.nn.functional.layer_norm(x[i], (32,)).sum() for i in range(24)]
    torch.manual_seed(0)
    x = torch.randn(24, 2, 16, 32)
    c = torch.compile(f, backend="inductor")
    c(x)
    c(x)
    """
if not shutil.which("g++"):
    skip("what inductor compiles", "no g++: inductor cannot compile")
else:
    with Cdbg(CANCELS, limit=200) as d:
        d.do("break f")
        d.go()
        d.go()
        r = d.cmd("graph compare")
        ok(r["first"] is None and "as fused differs" not in r["text"], "a sum whose parts cancel is taken for right", r["text"][-600:])

WRONG = """
    import torch
    class Worse(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.sin()
        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0].cos() * 1.01
    def worse(x):
        return Worse.apply(x)
    def backend(gm, inputs):
        for n in gm.graph.nodes:
            if n.target is torch.sin:
                n.target = worse
        gm.recompile()
        return gm.forward
    def model(x, w):
        a = x @ w
        b = torch.tanh(a) + 1
        c = torch.sin(b)            # its gradient is wrong
        return (c * a).sum()
    torch.manual_seed(0)
    x, w = torch.randn(4, 4), torch.randn(4, 4, requires_grad=True)
    c = torch.compile(model, backend=backend, dynamic=False)
    c(x, w)
    c(x, w)
    print("done")
    """
with Cdbg(WRONG, limit=200) as d:
    d.do("break model")
    d.go()
    d.go()
    r = d.cmd("graph compare -backward")
    bad = [row["node"] for row in r["rows"] if not row["ok"]]
    is_(bad, ["l_w_ (gradient)"], "graph compare -backward: the gradient that differs")
    like(r["text"], r"gradients of l_w_ differ from eager", "... is named")
    ok(all(row["ok"] for row in d.rows("graph compare")), "without -backward nothing differs")
    out = os.path.join(os.path.dirname(d.path), "small.py")
    like(d.error("graph reduce %s" % out), "does not differ from eager", "graph reduce: the results do not differ")
    like(d.text("graph reduce %s -backward" % out), r"reduced from \d+ to [1-3] nodes", "graph reduce -backward: their gradients do")
    text = open(out).read()
    ok("sin" in text and ".requires_grad_(True)" in text, "the program has the node, and inputs that require gradients")
    p = python(out, "eager", env={"PYTHONPATH": ""})
    ok(p.returncode == 0 and p.stdout.count("right") >= 2, "it runs, and compares results and gradients", p.stdout + p.stderr)
    d.do("delete")
    d.go()
    is_(d.out, "done\n", "the program continues as before")
done()
