#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# info graph in a graph that runs: what its nodes computed, and that looking changes nothing.
import os
import shutil
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import sys
    import torch
    def f(x, w):
        a = torch.sin(x @ w)
        b = torch.cos(a) * 2
        m = b > 1.5
        v, i = torch.topk(b, 2)
        h = torch.log(a).to(torch.bfloat16)
        return b.sum() + a.mean() + v.sum() + m.sum() + h.isnan().sum()
    torch.manual_seed(0)
    x, w = torch.randn(4, 4), torch.randn(4, 4)
    w.requires_grad_(True)
    c = torch.compile(f, backend=sys.argv[1])
    c(x, w)
    state = torch.get_rng_state()
    r = c(x, w)
    r.backward()
    print("%s %.6f %.6f %d" % (torch.equal(state, torch.get_rng_state()), r.item(), w.grad.sum().item(), w._version))
    """


with Cdbg(PROGRAM, "eager") as d:
    d.do("break f")
    d.go()
    d.go()
    d.go("stepg")
    rows = d.rows("info graph")
    is_([r["state"] for r in rows][:2], ["next", None], "nothing has run at the first node")
    is_([r["node"] for r in rows if r["current"]], ["matmul"], "the node that comes next is current")
    is_([r["line"] for r in rows][:2], [4, 4], "each node has the user's line")
    want = ""
    while d.frame.get("node") not in ("output", None):
        d.go("step")
        if d.frame.get("node") == "cos":
            want = d.text("print '%.5f %.5f %.5f' % (a.min(), a.max(), a.mean())").strip().strip("'").split("'")[-1]
    rows = {r["node"]: r for r in d.rows("info graph")}
    a = rows["a"]
    is_((a["shape"], a["dtype"], a["nan"], a["inf"], a["state"]), ([4, 4], "float32", 0, 0, "done"), "shape and dtype of a finished node")
    is_("%.5f %.5f %.5f" % (a["min"], a["max"], a["mean"]), want, "min, max and mean are those of its value")
    ok(0 < a["seconds"] < 1, "its time", str(a["seconds"]))
    is_(rows["cos"]["shape"], [4, 4], "of a value that is freed by now too")
    is_((rows["m"]["dtype"], rows["m"]["min"], rows["m"]["max"]), ("bool", False, True), "a bool tensor")
    is_((rows["topk"]["shape"], rows["topk"]["state"]), (None, "done"), "a tuple has no figures")
    log = [r for r in rows.values() if r["dtype"] == "bfloat16"]
    ok(log[0]["nan"] > 0 and log[0]["min"] <= log[0]["max"], "NaN are counted in bfloat16, beside the finite elements", str(log))
    is_(d.go("step")["reason"], "return", "the last node is the return")
    d.do("delete")
    while not d.exited:
        d.go()
    stepped = d.out
with Cdbg(PROGRAM, "eager") as d:
    d.go()
    is_(stepped, d.out, "the program's results, gradients and random numbers are those of a run that is not stepped")

with Cdbg(PROGRAM, "eager") as d:
    d.do("set graph-values off")
    d.do("tbreak node:b")
    d.go()
    d.go("step")
    rows = {r["node"]: r for r in d.rows("info graph")}
    is_((rows["a"]["shape"], rows["a"]["state"]), (None, "done"), "set graph-values off: no value is looked at")
    d.do("set graph-values on")
    rows = {r["node"]: r for r in d.rows("info graph")}
    is_((rows["a"]["shape"], rows["matmul"]["state"]), ([4, 4], "freed"), "on again: values that are alive are shown, others are freed")
    d.do("set var a = a * 0 + 3")
    like(d.text("print float(a.mean())"), r"3\.0", "set var changes a node's value")
    is_(d.rows("info graph __compiled_fn_1")[0]["op"], "placeholder", "a graph that is named is shown as it was captured")

if not shutil.which("g++"):
    skip("what inductor compiles", "no g++: inductor cannot compile")
else:
    with Cdbg(PROGRAM, "inductor", limit=240) as d:
        d.do("break f")
        d.go()
        d.go()
        d.go("stepg")
        d.go("step")
        d.go("step")
        rows = d.rows("info graph")
        ok(rows[0]["node"].startswith("buf") and rows[0]["shape"] == [4, 4], "inductor's buffers are shown", str(rows[0]))
        ok(any(str(r["target"]).startswith("cpp_fused") for r in rows), "... and the kernels that write them")
        like(d.text("print %s" % rows[0]["node"]), "tensor", "a buffer is a variable")
done()
