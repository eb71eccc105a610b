#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# graph show, diff, reduce and recompile: stages of a graph side by side, also from inductor's cache and from before cdbg.
import os
import shutil
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import os
    import sys
    import torch
    from torch._inductor import lowering
    aten = torch.ops.aten
    def plant(op, make):
        for key in [k for k in lowering.lowerings if k is op or getattr(k, "overloadpacket", None) is op]:
            lowering.lowerings[key] = make(lowering.lowerings[key])
    if sys.argv[2] == "wrong":
        plant(aten.cos, lambda old: lowering.lowerings[aten.sin.default])
    def f(x, w):
        a = torch.sin(x @ w)
        b = torch.cos(a) * 2
        c = torch.exp(-b)
        d = torch.tanh(c + a)
        return (d * c).mean(dim=1)
    torch.manual_seed(0)
    x, w = torch.randn(8, 16), torch.randn(16, 16)
    c = torch.compile(f, backend=sys.argv[1])
    c(x, w)
    if sys.argv[2] == "late":
        import cdbg
        cdbg.breakpoint()
    c(x, w)
    """

with Cdbg(PROGRAM, "aot_eager", "right") as d:
    d.do("break f")
    d.go()
    rows = d.rows("graph show 0/0 inference")
    is_([r["target"] for r in rows if r["op"] == "call_function"][:2], ["aten.mm.default", "aten.sin.default"], "graph show lists a stage's nodes")
    rows = d.rows("graph diff captured inference")
    is_([r["node"] for r in rows if r["change"] == "added"], ["arg0_1", "arg1_1"], "graph diff: nodes that are new")
    is_([r["node"] for r in rows if r["change"] == "removed"], ["l_x_", "l_w_"], "... that are gone")
    cos = [r for r in rows if r["node"] == "cos"][0]
    is_((cos["change"], cos["was"], cos["is"], cos["line"]), ("changed", "torch.cos(a)", "aten.cos.default(sin)", 13), "... and that are something else now")
    is_(d.rows("graph diff captured captured"), [], "a graph is equal to itself")
    like(d.error("graph diff captured"), "graph diff A B|missing|needs", "two graphs are required")
    like(d.error("graph diff captured nothing"), "no graph 'nothing'|nothing", "a graph that is not there is refused")
    rows = d.rows("graph run -t")
    ok(all(r["min"] is None and (r["seconds"] or r["op"] in ("placeholder", "output")) for r in rows), "graph run -t takes times and no figures")
    like(d.error("graph reduce /tmp/x.py"), "does not differ from eager", "a right graph cannot be reduced")
    entries = d.rows("info entries")
    like(d.text("graph recompile"), "made again: inference", "graph recompile makes the stages again")
    is_(d.rows("info entries"), entries, "... and leaves Dynamo's cache alone")

with Cdbg(PROGRAM, "eager", "right") as d:
    d.do("break f")
    d.go()
    like(d.text("graph recompile"), "reports no stages of this backend", "the eager backend has no stages")

late = python(script(PROGRAM), "aot_eager", "late", input="break f\ncontinue\ngraph recompile\ninfo graphs\n").stdout
like(late, "made again: inference", "a graph that was compiled before cdbg was loaded is compiled again")
like(late, r"inference +0/0 +13", "... and has its stages then")

if not shutil.which("g++"):
    skip("what inductor compiles", "no g++: inductor cannot compile")
    done()
folder = tempfile.mkdtemp(prefix="cdbg-t2195-")
cache = {"TORCHINDUCTOR_CACHE_DIR": folder}
for what in ("cold", "warm"):
    with Cdbg(PROGRAM, "inductor", "right", env=cache, limit=240) as d:
        d.do("break f")
        d.go()
        stages = [r["stage"] for r in d.rows("info graphs")]
        is_(stages, ["captured", "inference", "post-grad", "kernel"], "all stages are there with a %s cache" % what)
        like(d.text("graph show 0/0 kernel"), "async_compile", "... with inductor's code (%s)" % what)
with Cdbg(PROGRAM, "inductor", "wrong", env=cache, limit=240) as d:
    d.do("break f")
    d.go()
    path = os.path.join(os.path.dirname(d.path), "small.py")
    like(d.text("graph reduce " + path), "reduced from 10 to 1 nodes by", "graph reduce keeps the node that is wrong")
    text = open(path).read()
    ok("torch.cos(" in text and "tanh" not in text, "... in a program of its own", text[:300])
    like(d.text("graph recompile"), "made again: inference, post-grad, kernel", "graph recompile with a warm cache")
    ok(all(r["nodes"] for r in d.rows("info graphs")[:3]), "... has the nodes of all stages")
shutil.rmtree(folder, ignore_errors=True)
done()
