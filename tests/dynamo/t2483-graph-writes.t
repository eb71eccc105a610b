#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Graphs that write parameters, as those of a compiled optimizer, which names them, or running statistics: commands run them on copies.
import os
import shutil
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import sys, torch
    torch.set_num_threads(1)
    torch.manual_seed(0)
    x, w = torch.randn(4, 4), torch.nn.Parameter(torch.randn(4, 4))
    o = torch.optim.Adam([w], 0.1, foreach=True)
    def update():
        o.step()
    c = torch.compile(update, backend=sys.argv[1])
    for i in range(3):
        o.zero_grad()
        (w * x).sin().sum().backward()
        c()
        print(i, *["%.6f" % t.double().sum().item() for t in (w, *o.state[w].values())], torch.get_rng_state().sum().item())
    """


def figures(d):
    return [(r["node"], r["min"], r["max"], r["mean"]) for r in d.rows("graph run")]


for backend in ("eager", "aot_eager", "inductor"):
    if backend == "inductor" and not shutil.which("g++"):
        skip(backend, "no g++: inductor cannot compile")
        continue
    with Cdbg(PROGRAM, backend, limit=300) as d:
        d.do("tbreak node:*")
        d.go()
        before = figures(d)
        ok(len(before) > 10, "%s: an optimizer's graph is run" % backend)
        r = d.do("graph compare")
        ok(sum(row["node"].endswith("(written)") for row in r["rows"]) >= 4 and all(row["ok"] for row in r["rows"]),
           "... what it writes is compared", r["text"])
        is_((r["first"], [n for n in r["text"].splitlines() if n.startswith("note") and "stages" not in n]), (None, []),
            "... and compared: it is right")
        for line in ("graph memory", "graph run -n 2", "graph run until nan", "graph recompile"):
            d.do(line)
        is_(figures(d), before, "... each run begins with the program's values")
        d.run_out()
        is_((d.out, d.exited["status"]), bare(d.path, backend)[1::-1], "... and the program's parameters and state are as without cdbg")
WRONG = """
    import torch
    torch.manual_seed(0)
    x, b = torch.randn(4, 4), torch.zeros(4)
    def more(gm, inputs):
        def run(*args):
            result = gm(*args)
            [a for a in args if a.dim() == 1][0].add_(0.01)
            return result
        return run
    def f(x, b):
        b.mul_(0.9).add_(x.mean(0))
        return x - b
    def update(x, b):
        b.add_(x.sum(0))
    for g in (f, update):
        for backend in (more, "aot_eager"):
            torch._dynamo.reset()
            torch.compile(g, backend=backend)(x, b)
            print("%.6f" % b.sum().item())
    """
with Cdbg(WRONG, limit=300) as d:
    d.do("break f")
    d.do("break update")
    for g in ("f", "update"):
        d.go()
        r = d.do("graph compare")
        like(r["text"], r"note: what is written into l_b_ differs from eager", "%s: a wrong value in an input is reported" % g)
        d.go()
        r = d.do("graph compare")
        is_([row["ok"] for row in r["rows"] if row["node"] == "l_b_ (written)"], [True], "... a right one is right")
    file = os.path.join(os.path.dirname(d.path), "saved.py")
    d.do("graph save %s" % file)
    said = bare(file, "eager")
    is_((said[0], said[1].count("right")), (0, 1), "... the saved program compares it")
    with open(file) as f:
        text = f.read()
    with open(file, "w") as f:
        f.write(text.replace("import torch\n", "import torch\n@torch._dynamo.register_backend\ndef more(gm, inputs):\n"
                             "    return lambda *args: (gm(*args), [a for a in args if a.dim() == 1][0].add_(0.01))[0]\n", 1))
    said = bare(file, "more")
    is_((said[0], said[1].count("WRONG")), (1, 1), "... and finds a wrong one")
    d.do("delete")
    d.run_out()
    is_(d.out, bare(d.path)[1], "... and the program's results are as without cdbg")
READS = """
    import torch
    from torch.nn.attention.flex_attention import flex_attention
    x, b, q = torch.ones(3), torch.zeros(3), torch.ones(1, 1, 128, 16)
    def pure(x, b):
        return torch.cond(x.sum() > 0, lambda x: x + b, lambda x: x - b, (x,))
    def own(x, b):
        return torch.cond(x.sum() > 0, lambda x: x.sin().add_(b), lambda x: x - b, (x,))
    def beside(x, b):
        b.add_(1)
        return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,))
    def flex(x, b):
        b.add_(1)
        return flex_attention(q, q, q, score_mod=lambda s, *i: s + x.sum())
    with torch.no_grad():
        for f in (pure, own, beside, flex):
            torch.compile(f, backend="eager")(x, b)
    end = 1
    """
with Cdbg(READS) as d:
    d.do("break %d" % d.line_of("end = 1"))
    d.go()
    for f in ("pure", "own", "beside", "flex"):
        r = d.do("graph compare %s -backward with x=x b=b" % f)
        is_([row["node"] for row in r["rows"] if row["node"].endswith("(written)")], ["l_b_ (written)"] * (f in ("beside", "flex")),
            "%s: of the inputs of a graph with sub-graphs, only those are called written that it writes" % f)
        like(r["text"], "gradients of inputs were not compared: no input requires one", "... and the reason why there are no gradients is true")
NORM = """
    import torch
    torch.manual_seed(0)
    x, net = torch.randn(6, 4), torch.nn.BatchNorm1d(4)
    def more(gm, inputs):
        at = [i for i, n in enumerate(gm.graph.find_nodes(op="placeholder")) if "running_mean" in n.name][0]
        def run(*args):
            result = gm(*args)
            args[at].add_(0.01)
            return result
        return run
    def f(x):
        return net(x) * 2
    def g(x):
        return torch.native_batch_norm(x, net.weight, net.bias, net.running_mean, net.running_var, True, 0.1, 1e-5)[0]
    def still(x):
        return torch.nn.functional.batch_norm(x, net.running_mean, net.running_var, training=False)
    for h, backend in ((f, "aot_eager"), (f, more), (g, "eager"), (still, "eager")):
        torch._dynamo.reset()
        c = torch.compile(h, backend=backend)
        c(x)
        end = 1
        print("%.6f %.6f" % (net.running_mean.sum(), net.running_var.sum()))
    """
with Cdbg(NORM, limit=300) as d:
    d.do("break %d" % d.line_of("end = 1"))
    for name, right in (("f", True), ("f", False), ("g", True), ("still", True)):
        d.go()
        r = d.do("graph compare %s with x=x" % name)
        rows = {row["node"].split("_running_")[1]: row["ok"] for row in r["rows"] if row["node"].endswith("(written)") and "running" in row["node"]}
        if name == "still":
            is_(rows, {}, "a batch_norm in evaluation: no input is written")
        elif right:
            is_(rows, {"mean_ (written)": True, "var_ (written)": True}, "%s: the running statistics that a batch_norm writes are compared" % name)
        else:
            is_(rows["mean_ (written)"], False, "%s: ... and a wrong one is found" % name)
            like(r["text"], r"note: what is written into \w+running_mean_ differs from eager; only node '\w+' writes it at prog\.py:%d in f\n"
                 % d.line_of("return net(x) * 2"), "... with the node that writes it, and its line")
    d.do("delete")
    d.run_out()
    is_(d.out, bare(d.path)[1], "... and the program's statistics are as without cdbg")

# a position that each call advances, at last past the end
CACHE = """
    import torch
    x, kept, position = torch.ones(1, 4), torch.zeros(2, 4), torch.zeros(1, dtype=torch.long)
    def f(x):
        kept.index_copy_(0, position, x)
        position.add_(1)
        return kept.sum()
    c = torch.compile(f, backend="aot_eager")
    c(x), c(x)
    print(position.item(), kept.sum().item())
    """
with Cdbg(CACHE, limit=200) as d:
    d.do("break %d" % d.line_of("print(position"))
    d.go()
    for line in "graph run f with x=x", "graph compare f with x=x":
        like(d.error(line), r"^node 'index_copy_' at prog.py:%d raised IndexError: .*; the graph writes its inputs, perhaps this index"
             % d.line_of("kept.index_copy_"), "%s: an index that the graph advances past the end is reported with its node" % line.split(" with")[0])
    d.run_out()
    is_(d.out, "2 8.0\n", "... and the program's values are as before")
done()
