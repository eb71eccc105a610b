#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# graph run and graph memory of a stage: joint, forward, backward, inference and post-grad, node by node, on copies.
import os
import shutil
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import sys
    import torch
    def f(x, w):
        a = torch.sin(x @ w)
        b = torch.cos(a) * 2
        return torch.exp(-b).sum(dim=-1)
    torch.manual_seed(0)
    x, w = torch.randn(8, 16), torch.randn(16, 16, requires_grad="grad" in sys.argv)
    c = torch.compile(f, backend=sys.argv[1], dynamic="dynamic" in sys.argv or None)
    for i in range(2):
        r = c(x, w)
        if "grad" in sys.argv:
            r.sum().backward()
    a = torch.sin(x @ w)
    print(a.min().item(), a.max().item(), torch.equal(r, f(x, w)) or torch.allclose(r, f(x, w)), torch.rand(1).item())
    """


def figures(rows, target):
    return [(r["shape"], round(r["min"], 4), round(r["max"], 4)) for r in rows if r["target"] == target]


outputs = set()
for dynamic in ("", "dynamic"):
    with Cdbg(PROGRAM, "aot_eager", "grad", dynamic, limit=200) as d:
        d.do("break f")
        d.go()
        captured = d.rows("graph run captured")
        want = figures(captured, "torch.sin")
        for stage in ("joint", "forward"):
            rows = d.rows("graph run " + stage)
            is_(figures(rows, "aten.sin.default")[:1], want, "graph run %s computes what the captured graph does %s" % (stage, dynamic))
        line = [r["line"] for r in rows if r["target"] == "aten.sin.default"]
        is_(line, [4], "... with the user's line")
        rows = d.rows("graph run -n 3 0/0 backward")
        ok(rows[-2]["seconds"] and all(r["nan"] in (0, None) for r in rows), "graph run ENTRY backward has gradients of ones %s" % dynamic)
        is_([r["max"] for r in rows if r["node"].startswith("tangents")], [1.0], "... as its inputs")
        is_(d.error("graph run post-grad"), "no stage 'post-grad' to run: compiling the graph for these inputs makes captured, joint, forward, "
            "backward", "a stage that the backend does not make is refused")
        is_(d.error("graph run 0/0 nonsense"), "no stage 'nonsense' of '__compiled_fn_1': there are captured, joint, forward, backward",
            "a wrong name is answered with the stages that exist")
        like(d.error("graph run kernel"), "which is code.*captured, joint, forward, backward", "inductor's code is not run node by node")
        like(d.text("graph memory joint"), "peak: [0-9]+ bytes at node", "graph memory takes a stage, too")
        like(d.text("graph run until nan joint"), "no node makes a NaN", "graph run until nan takes a stage")
        d.do("delete")
        d.run_out()
        outputs.add(d.out)
with Cdbg(PROGRAM, "aot_eager", limit=200) as d:
    d.do("break f")
    d.go()
    like(d.error("graph run joint"), "no result of it requires a gradient", "without gradients there is no joint graph")
    ok(figures(d.rows("graph run inference"), "aten.sin.default"), "the inference graph runs")
with Cdbg(PROGRAM, "eager", limit=200) as d:
    d.do("break f")
    d.go()
    is_(d.error("graph run forward"), "no stage 'forward' to run: compiling the graph for these inputs makes captured",
        "the eager backend has no stages")
plain = bare(PROGRAM, "aot_eager", "grad")[1]
is_(outputs, {plain}, "the program's results and random numbers are as without cdbg")

# A backward graph that draws random numbers again takes the state of their generator from the forward graph.
with Cdbg("""
    import torch
    import torch.nn.functional as F
    from torch.utils.checkpoint import checkpoint
    def f(x):
        return checkpoint(lambda t: F.dropout(torch.sin(t), 0.5).exp(), x * 2, use_reentrant=False)
    c = torch.compile(f, backend="aot_eager")
    x = torch.ones(4, 4, requires_grad=True)
    for i in range(2):
        c(x).sum().backward()
    """, limit=200) as d:
    d.do("break f")
    d.go()
    d.go()
    r = d.cmd("graph run backward")
    ok(r["ok"], "a backward graph with dropout in a checkpoint runs", r.get("error"))
    calls = [row["args"] for row in d.rows("graph show backward") if "rng_state" in row["target"] and row["op"] == "call_function"]
    unlike(" ".join(calls), "0x", "operators among its arguments are named")

if not shutil.which("g++"):
    skip("what inductor compiles", "no g++: inductor cannot compile")
    done()
folder = tempfile.mkdtemp(prefix="cdbg-t2246-")
for what in ("cold", "warm"):
    with Cdbg(PROGRAM, "inductor", "grad", env={"TORCHINDUCTOR_CACHE_DIR": folder}, limit=300) as d:
        d.do("break f")
        d.go()
        if what == "cold":
            d.go()
        before = [(r["stage"], r["nodes"]) for r in d.rows("info graphs")]
        rows = d.rows("graph run post-grad")
        is_(figures(rows, "aten.sin.default"), want, "graph run post-grad with a %s cache" % what)
        ok(d.rows("graph run post-grad-backward")[-2]["shape"] == [16, 16], "... and of the backward graph")
        is_([(r["stage"], r["nodes"]) for r in d.rows("info graphs")], before, "... the same stages are listed as before")
shutil.rmtree(folder, ignore_errors=True)
done()
