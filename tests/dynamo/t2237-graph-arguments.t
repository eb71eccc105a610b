#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The graph commands where people use them: inside of a graph that is stepped, with values of globals, with a tolerance, on a graph
# that draws random numbers, and on one that is trained.
import os
import shutil
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = '''
    import torch

    torch.manual_seed(0)
    w = torch.randn(8, 4, requires_grad=True)

    def f(x, scale):
        h = torch.dropout(x @ w, 0.5, True)
        return (h * scale).sum()

    def g(x):
        return torch.exp(x @ w) / 3

    x = torch.ones(4, 8)
    a = torch.compile(f, backend="aot_eager")
    b = torch.compile(g, backend="aot_eager")
    for turn in range(2):
        a(x, 2.0).backward()
        b(x).sum().backward()
    '''
with Cdbg(PROGRAM, limit=200) as d:
    d.do("break f")
    d.do("break g")
    d.go()
    stages = [r["stage"] for r in d.rows("info graphs")]
    text = d.text("graph recompile")
    like(text, r"joint, forward, backward \([\d.]+ s\)$", "a graph that is trained is compiled again with its backward graph")
    is_([r["stage"] for r in d.rows("info graphs")], stages, "... no stage is added that the program has not")

    d.go("stepg")
    d.go("step")
    rows = d.rows("graph run")
    ok([r for r in rows if r["node"] == "h" and r["shape"] == [4, 4]], "inside of a graph the values are those of the call that runs it", str(rows)[:300])
    is_(d.do("graph compare")["first"], None, "... and the comparison works there, too")
    rows = {r["node"]: r for r in d.rows("graph run with w=torch.zeros(8,4)")}
    is_(rows["matmul"]["max"], 0.0, "with: a value for a global that the graph reads")
    ok(d.text("print __import__('__main__').w.abs().sum() > 0").startswith("tensor(True"), "... the program's own stays")
    like(d.cmd("graph run with nosuch=5")["error"], "no input from 'nosuch'; 'with' takes x, scale, w$", "... a name that it does not read is refused")
    d.go()
    d.do("delete")
    r = d.cmd("graph compare -tol 1e-3 1e-5")
    is_((r["ok"], r["first"]), (True, None), "-tol: within a tolerance")
    r = d.cmd("graph compare -tol 0 1e-30")
    ok(r["first"] and "an element differs" in r["text"], "... and not within a smaller one", str(r)[:300])
    ok(any(x["ok"] is False for x in r["rows"]), "... its row is marked", str(r["rows"]))
    like(d.cmd("graph compare")["text"], "no wrong node", "... which holds for that command only")
    like(d.cmd("graph compare -tol 1e-3")["error"], "needs ATOL", "... a missing number")
    like(d.cmd("graph compare -tol -1 g")["error"], "'-tol' expects two numbers", "... a negative one")

RESUMED = '''
    import torch

    def f(x, name):
        y = x * 2
        torch._dynamo.graph_break()
        z = y.sin() + 1
        print(name)
        return z * y

    c = torch.compile(f, backend="eager")
    for turn in range(2):
        c(torch.ones(3), "f")
    end = 1
    '''
with Cdbg(RESUMED, limit=200) as d:
    d.do("break %d" % d.line_of("end = 1"))
    d.go()
    graphs = [r["graph"] for r in d.rows("info graphs")]
    rows = {r["node"]: r for r in d.rows("graph run %s with y=torch.zeros(3)" % graphs[1])}
    is_(rows["z"]["max"], 1.0, "a graph of a resume function needs no value for arguments that it does not read")
    like(d.cmd("graph run %s with z=torch.zeros(3)" % graphs[2])["error"], "no value for 'y'", "... and one for those that it does")

RANDOM = '''
    import torch

    def f(x):
        return torch.dropout(x, 0.5, True) + 1

    c = torch.compile(f, backend="inductor")
    for turn in range(2):
        c(torch.ones(64))
    '''
if shutil.which("g++"):
    folder = tempfile.mkdtemp(prefix="cdbg-t2237-")
    with Cdbg(RANDOM, limit=200, env={"TORCHINDUCTOR_CACHE_DIR": folder}) as d:
        d.do("break f")
        d.go()
        r = d.cmd("graph compare")
        is_([x["ok"] for x in r["rows"] if x["stage"] == "result"], [True], "results of a graph that draws random numbers are right")
        is_(r["first"], None, "... and no node is wrong")
        d.do("graph save %s/saved.py" % folder)
        p = python(folder + "/saved.py", env={"PYTHONPATH": ""}, limit=200)
        like(p.stdout, "^result 0: .* right$", "the program that 'graph save' writes of it draws the numbers that eager draws")
        is_(p.returncode, 0, "... and finds no difference")
    shutil.rmtree(folder, ignore_errors=True)
else:
    skip("results of a graph that draws random numbers", "no g++")
done()
