#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# graph run, memory and compare: a captured graph by hand, apart from the program; planted errors are named.
import os
import shutil
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

NET = """
    import torch
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.up = torch.nn.Linear(4, 8)
            self.bn = torch.nn.BatchNorm1d(8)
            self.drop = torch.nn.Dropout(0.5)
        def forward(self, x, k):
            h = self.drop(self.bn(self.up(x)))
            return torch.log(h.sum(1) * k)
    torch.manual_seed(0)
    net = Net()
    x = torch.randn(6, 4)
    c = torch.compile(net, backend="eager")
    def state():
        return [t.sum().item() for t in net.state_dict().values()] + [x.sum().item(), torch.get_rng_state().sum().item(), x.grad]
    c(x, 2)
    print(c(x, 2).shape)
"""
with Cdbg(NET) as d:
    d.do("break Net.forward")
    d.go()
    before = d.text("print state()")
    r = d.do("graph run")
    rows = {row["node"]: row for row in r.get("rows", [])}
    ok(r["ok"] and len(rows) > 10, "graph run answers with a row a node")
    is_(rows["linear"]["shape"], [6, 8], "a row has the shape of its value")
    is_(rows["linear"]["dtype"], "float32", "... its dtype")
    ok(rows["linear"]["min"] < rows["linear"]["mean"] < rows["linear"]["max"], "... and its smallest, mean and largest element")
    ok(rows["linear"]["seconds"] > 0, "... and the time it took")
    ok(rows["linear"]["bytes"] == 6 * 8 * 4, "... and its bytes")
    is_(rows["linear"]["line"], 9, "... and the program's line")
    is_(r.get("first"), "log", "the first node that makes a NaN is named")
    is_(rows["log"]["nan"] > 0, True, "... and has its count")
    until = d.do("graph run until nan")
    is_(until["rows"][-1]["node"], "log", "'until nan' ends there")
    is_(d.text("print state()"), before, "parameters, statistics, inputs and random numbers are as before")
    ones = d.do("graph run with x=torch.ones(3,4) k=5")
    is_({row["node"]: row for row in ones["rows"]}["linear"]["shape"], [3, 8], "'with' gives other values")
    like(d.error("graph run with x=torch.ones(3,5)") or "", r"node 'linear' at prog.py:\d+ raised RuntimeError", "what a node raises names the node")
    like(d.error("graph run -n 0") or "", "invalid count '0'", "a count of 0 is refused")
    like(d.error("graph run --what") or "", "unknown flag '--what'", "an unknown flag is refused")
    memory = d.do("graph memory")
    alive = [row["alive"] for row in memory["rows"]]
    ok(alive == sorted(alive[:10]) + alive[10:] and max(alive) > 0, "graph memory adds up what is alive")
    params = sum(row["made"] for row in memory["rows"] if row["node"].startswith("l_"))
    ok(min(alive[-3:]) >= params, "... inputs stay alive to the end")
    same = d.do("graph compare")
    is_(same.get("first", 1), None, "graph compare finds nothing wrong in a right graph")
    is_(d.text("print state()"), before, "... and changes nothing")
    d.do("set keep-graphs off")
    like(d.text("help set keep-graphs"), "graph run", "the option says what it is for")

with Cdbg("""
    import torch
    def f(x):
        x.add_(1)
        return x * 2
    c = torch.compile(f, backend="eager")
    x = torch.ones(3)
    w = torch.nn.Parameter(torch.ones(3))
    c(x)
    print(x.tolist())
    with torch.no_grad():
        c(w)
    print(w.tolist())
    """) as d:
    d.do("break f")
    d.go()
    d.do("graph run")
    is_(d.text("print x.tolist()"), "[1.0, 1.0, 1.0]", "a graph that writes its input runs on a copy of it")
    d.do("delete")
    d.go()
    is_(d.out.splitlines(), ["[2.0, 2.0, 2.0]", "[2.0, 2.0, 2.0]"], "... and the program's results are the same")

with Cdbg("""
    import torch
    def f(x):
        return x.sin() + 1
    c = torch.compile(f, backend="eager")
    c(torch.ones(3))
    c(torch.ones(3))
    """, options=["-ex", "set keep-graphs off"]) as d:
    d.do("break f")
    d.go()
    like(d.error("graph run") or "", "'set keep-graphs on'", "a graph that was not kept is refused with the remedy")
    d.do("set keep-graphs on")
    is_([r["node"] for r in d.rows("graph run")], ["l_x_", "sin", "add", "output"], "... which runs it if its module still exists")

with Cdbg("""
    import torch
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.up = torch.nn.Linear(4, 8)
        def forward(self, x, y, k):
            h = torch.nn.functional.gelu(self.up(x))
            return torch.cond(h.sum() > 0, lambda v: v.sin(), lambda v: v.cos(), (h,)).t() * k, (y == 1).sum(), float("inf") - y
    torch.manual_seed(0)
    c = torch.compile(Net(), backend="eager", dynamic=False)
    c(torch.randn(6, 4).t().contiguous().t(), torch.ones(3, dtype=torch.int64), 2.5)
    """) as d:
    d.do("break Net.forward")
    d.go()
    path = os.path.join(os.path.dirname(d.path), "saved.py")
    like(d.text("graph save " + path), "bytes written to .*saved.py", "graph save writes a file")
    saved = python(path, env={"PYTHONPATH": ""})
    is_((saved.returncode, saved.stderr[-300:] if saved.returncode else ""), (0, ""), "... that is a program of its own")
    like(saved.stdout, "result 0: .*right", "... and compares each result")
    like(d.error("graph save") or "", "needs FILE; usage: graph save FILE", "a missing name is refused")
    like(d.error("graph save -backward x.py") or "", r"misplaced option '-backward' of 'graph save'; usage: graph save FILE \[-backward\]",
         "an option before the name is refused as misplaced, not as unknown")
    like(d.error("graph save /nonexistent/x.py") or "", "the graph cannot be saved", "a folder that is not there is an error")
    ok(not os.path.exists(path + ".inputs.pt"), "small inputs are in the program")

PLANT = """
    import torch
    from torch._inductor import lowering
    aten = torch.ops.aten
    def plant(op, make):
        for key in [k for k in lowering.lowerings if k is op or getattr(k, "overloadpacket", None) is op]:
            lowering.lowerings[key] = make(lowering.lowerings[key])
    %s
    def f(x, w):
        a = torch.sin(x @ w)
        b = torch.cos(a) * 2
        c = torch.exp(-b)
        d = torch.tanh(c + a)
        return (d * c).mean(dim=1)
    torch.manual_seed(0)
    x, w = torch.randn(8, 16), torch.randn(16, 16)
    c = torch.compile(f)
    c(x, w)
    c(x, w)
    """
PLANTED = (("", None, None, "a right graph has no wrong node"),
           ("plant(aten.cos, lambda old: lowering.lowerings[aten.sin.default])", "cos", 10, "cos lowered as sin is named"),
           ("plant(aten.tanh, lambda old: lambda x: lowering.lowerings[aten.add.Tensor](old(x), 1e-3))", "d", 12,
            "a tanh that is off by 0.001 is named"))
if not shutil.which("g++"):
    skip("what inductor compiles", "no g++: inductor cannot compile")
else:
    for line, node, where, name in PLANTED:
        with Cdbg(PLANT % line, limit=300) as d:
            d.do("break f")
            d.go()
            r = d.do("graph compare")
            ok(r.get("first", r.get("error")) == node, name, r.get("text"))
            if node:
                wrong = [row for row in r["rows"] if row["node"] == node and not row["ok"]]
                is_([row["line"] for row in wrong], [where], "... with the program's line")

# Ctrl-C in a long run, sent when the graph has begun to run
LONG = """
    import torch
    @torch.library.custom_op("long::on", mutates_args=())
    def on(x: torch.Tensor) -> torch.Tensor:
        if marks:
            print(marks.pop(), end="", flush=True)
        return x + 1
    on.register_fake(lambda x: torch.empty_like(x))
    marks = []
    @torch.compile(backend="eager")
    def f(x):
        return on(x) * 2
    f(torch.ones(3))
    print("end", f(torch.ones(3)).sum().item())
    """
with Cdbg(LONG, limit=120) as d:
    d.do("break %d" % d.line_of('print("end"'))
    d.go()
    d.do("python marks.append('begun\\n')")
    d.send("graph run f -n 100000 with x=torch.ones(3)")
    while "begun\n" not in d.out:
        d.next()
    d.interrupt()
    is_(d.answer("graph run f -n 100000 with x=torch.ones(3)").get("error"), "the graph cannot be run: interrupted", "Ctrl-C ends a long run")
    ok(len(d.rows("graph run f with x=torch.ones(3)")) == 4, "... and the graph can be run again")
    d.run_out()
    is_(d.out, "begun\nend 12.0\n", "... and the program continues")
done()
