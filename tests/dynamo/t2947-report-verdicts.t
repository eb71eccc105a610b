#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""catch wrong judges gradients where a result has them, and says what that takes; reports have each entry's verdict, and report diff tells of those that
changed.  explain and graph compare name blame where it can judge the call, else catch wrong."""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
PROGRAM = '''
    import os, torch
    torch.manual_seed(0)                        # from 2.14 on, the seed of a process is random

    WRONG = %s

    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, v): return v.clone()
        @staticmethod
        def backward(ctx, g): return g * (2 if WRONG else 1)
    def scaled(gm, inputs):
        return lambda *args: [Scaled.apply(v) for v in gm(*args)]
    def swapped(gm, inputs):
        for n in gm.graph.nodes:
            if n.target is torch.sin or n.target == "sin":
                n.target = torch.cos if n.op == "call_function" else "cos"
        gm.recompile()
        return gm.forward

    def trained(w):
        return (w * 3).sum()
    def right(x):
        return x + 1
    def wrong(x):
        y = x.sin()                             # the wrong node
        return y * 2
    def files(x):
        with open(os.devnull):
            return x * 2

    w, x = torch.ones(3, requires_grad=True), torch.ones(3)
    step, plain = torch.compile(trained, backend=scaled), torch.compile(right, backend="eager")
    other, fails = torch.compile(wrong, backend=swapped), torch.compile(files, backend="eager")
    for turn in range(2):
        w.grad = None
        step(w).backward()
        print(turn, w.grad.tolist(), plain(x).tolist(), fails(x).tolist(), [round(v, 3) for v in other(x).tolist()], torch.rand(1).item())
'''
folder = tempfile.mkdtemp(dir=os.path.dirname(script("", "empty.py")))
for name in "a", "b":
    os.makedirs(os.path.join(folder, name))
faulty, mended = script(PROGRAM % True, "prog.py", os.path.join(folder, "a")), script(PROGRAM % False, "prog.py", os.path.join(folder, "b"))

with Cdbg(faulty) as d:
    d.do("catch wrong")
    stop = d.go()
    is_((stop["reason"], stop["detail"]["function"]), ("wrong", "trained"), "a call whose gradient alone is wrong stops catch wrong")
    like(stop["detail"]["verdict"]["sentence"], "^backend scaled: .*gradient", "... and the verdict names the gradient")
    like(d.text("explain trained"), "If the result of this call is wrong, 'blame' says whose fault it is", "explain names blame there")
    stop = d.go()
    is_(stop["detail"]["function"], "wrong", "the next wrong call is one of a result")
    d.do("break prog.py:%d" % d.line_of("w.grad = None"))
    d.go()
    like(next(r["notes"] for r in d.rows("info breakpoints") if r["type"] == "catchpoint"),
         r"^3 calls judged, 2 of them wrong, in \d+\.\d\d s; 1 with gradients\n\d passed over", "info breakpoints says how many, how long, and how many with gradients")
    text = d.text("explain trained")
    like(text, "'catch wrong' stops at such a call and names the culprit", "between calls explain names catch wrong")
    unlike(text, "'blame'", "... and not blame, which has no call there")
    d.do("report " + os.path.join(folder, "stopped"))
    d.do("delete")
    d.run_out()
    said = d.out
status, out, _ = bare(faulty)
is_(said, out, "the program's output is as without cdbg")
with open(os.path.join(folder, "stopped", "index.json")) as f:
    found = {e["function"]: e.get("verdict") for g in json.load(f)["functions"] for e in g["entry"]}
is_({name: v and v["fault"] for name, v in found.items() if not name.startswith("torch_dynamo")}, {"trained": "backend", "right": "none", "wrong": "backend", "files": "not judged"},
    "a report written at a stop has the verdicts")


def reported(path, name, *more):
    where = os.path.join(folder, name)
    status, out, err = run(path, options=["--report", where, *more])
    with open(os.path.join(where, "index.json")) as f:
        return where, out, json.load(f)


where, out, data = reported(faulty, "first", "--report-blame")
is_(out, said, "--report-blame: the program's output is as without cdbg")
found = {e["function"]: e["verdict"] for g in data["functions"] for e in g["entry"]}
is_({name: v["fault"] for name, v in found.items() if not name.startswith("torch_dynamo")}, {"trained": "backend", "right": "none", "wrong": "backend", "files": "not judged"},
    "each entry has its verdict in index.json")
is_((found["wrong"]["line"], found["wrong"]["calls"], found["wrong"]["gradients"], found["trained"]["gradients"]),
    (1 + (PROGRAM % True).strip("\n").split("\n").index("        y = x.sin()                             # the wrong node"), 1, False, True),
    "... with its line, how many calls were judged, and whether gradients were")
like(found["files"]["sentence"], "'files' names 'open'", "... or why none was judged")
with open(os.path.join(where, "index.html")) as f:
    page = f.read()
like(page, r"(?s)<h2 id=\"verdicts\">Verdicts</h2>.*3 entries compared with eager, 2 of them wrong; 1 not judged.*trained.*wrong.*not judged.*no fault", "the first page has a table, faults first")
with open(os.path.join(where, next(g["folder"] for g in data["functions"] if g["function"] == "wrong"), "index.html")) as f:
    like(f.read(), "Compared with eager: <span class=\"pre\">backend swapped: node", "a function's page has it with the entry")
after, _, _ = reported(mended, "second", "--report-blame")
text = python("-m", "cdbg.report", "--diff", where, after).stdout
like(text, r"trained, entry \d/0: the verdict on its calls is now none: no fault.*; was backend: backend scaled", "report diff tells of a verdict that changed")
unlike(text, "right, entry .*verdict|wrong, entry .*verdict", "... and of no other")
_, _, data = reported(mended, "third")
ok(not any("verdict" in e for g in data["functions"] for e in g["entry"]), "without --report-blame there is none")
status, out, err = run(faulty, options=["--report-blame"])
like(err, "--report-blame needs --report DIR", "the option alone is refused")
done()
