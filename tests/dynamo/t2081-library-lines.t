#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Nodes, guards, breaks and side effects of a library's code name the library's line, with the program's beside it.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

LIBRARY = '''
import dataclasses
import functools
import torch
def forwards(func):
    @functools.wraps(func)
    def wrapper(self, *args, **kwargs):
        output = func(self, *args, **kwargs)            # wrapper
        return output
    return wrapper
class Inner(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)
        self.scale = 2
        self.calls = []
    @forwards
    def forward(self, x):
        x = self.linear(x)                              # linear
        if self.scale > 1:                              # checked
            x = x * self.scale                          # scaled
        return x
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
        self.seen = []
    @forwards
    def forward(self, x):
        y = self.inner(x)                               # called
        self.seen.append(3)                             # effect
        if x.shape[0] % 2 == 0:                         # even
            y = y + 1                                   # plus
        return y.relu()                                 # relu
def breaks(x):
    x = x + 1
    torch._dynamo.graph_break()                         # broken
    return x
@dataclasses.dataclass
class D:
    a: int = 1
def fields(x):
    return x + dataclasses.replace(D(), a=5).a          # replaced
'''

PROGRAM = '''
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "site-packages"))
import torch
import library
torch.manual_seed(0)
model = library.Model()
compiled = torch.compile(model, backend="eager", dynamic=True)
compiled(torch.ones(2, 4))                              # call
compiled(torch.ones(3, 4))
@torch.compile(backend="eager")
def loss(model, x):
    out = model(x)                                      # own
    return out.sum()
loss(model, torch.ones(4, 4))
@torch.compile(backend="eager")
def around(x):
    y = library.breaks(x)                               # around
    return library.fields(y)
around(torch.ones(2))
def helper(x):
    return x * 3                                        # helped
@torch.compile(backend="eager", dynamic=True)
def shapes(x, y, n):
    if x.shape[0] == y.shape[0] + 1:                    # first
        return helper(x).sum()                          # helping
    if x.shape[0] > 2 * y.shape[0] and n > 3:           # second
        return x.sum()
    return x * 2
shapes(torch.ones(5), torch.ones(4), 7)
shapes(torch.ones(9), torch.ones(4), 7)
shapes(torch.ones(8), torch.ones(4), 7)
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
loss(model, torch.ones(4, 4)).backward()
@torch.compile(backend="eager")
def step():
    opt.step()                                          # stepped
step()
end = 1
'''

path = script(PROGRAM)
folder = os.path.join(os.path.dirname(path), "site-packages")
os.mkdir(folder)
library = os.path.join(folder, "library.py")
with open(library, "w") as f:
    f.write(LIBRARY)

with Cdbg(path) as d:
    at = lambda text: line_of(library, "# " + text)
    own = lambda text: line_of(path, "# " + text)
    d.do("break %d" % own("stepped"))
    d.do("tbreak %d" % (line_of(path, "end = 1")))
    d.go()
    entries = d.rows("info entries")
    of = lambda name: [e["entry"] for e in entries if e["function"] == name]
    whole = of("wrapper")[0]

    # ---- nodes ---------------------------------------------------------------------------------------------------------
    nodes = d.rows("info graph " + whole)
    calls = [n for n in nodes if n["op"].startswith("call")]
    is_({n["file"] for n in nodes if n["op"] != "output"}, {library}, "each node of a library's model names the library's file")
    is_([n["line"] for n in calls], [at("linear"), at("scaled"), at("plus"), at("relu")],
        "the line of a node is the innermost that is not torch's own, not the decorator's call")
    is_([n["function"] for n in calls], ["forward"] * 4, "with its function")
    is_([n["outer_line"] for n in calls], [at("called")] * 2 + [None] * 2,
        "beside it the outermost line that is not a decorator's call")
    is_(calls[0]["place"], "library.py:%d in forward (from library.py:%d)" % (at("linear"), at("called")),
        "and for people both with their files")
    like(d.text("graph code " + whole), r"# library\.py:%d in forward \(from library\.py:%d\): x = self\.linear"
         % (at("linear"), at("called")), "graph code has the library's line above its nodes")
    like(d.text("graph draw " + whole), r"relu.*library\.py:%d" % at("relu"), "so has graph draw")
    nodes = [n for n in d.rows("info graph " + of("loss")[0]) if n["op"].startswith("call")]
    is_([(n["line"], n["outer_file"], n["outer_line"]) for n in nodes][:2],
        [(at("linear"), path, own("own")), (at("scaled"), path, own("own"))],
        "called from the program, the program's line is next to the library's")
    is_((nodes[-1]["file"], nodes[-1]["line"], nodes[-1]["outer_line"], nodes[-1]["place"]), (path, own("own") + 1, None, None),
        "a line of the compiled function itself has none beside it")

    # ---- guards --------------------------------------------------------------------------------------------------------
    guards = d.rows("info guards " + whole)
    sourced = [g for g in guards if g["source"].startswith("L[")]
    is_([g for g in sourced if g["file"] not in (library, path)], [], "each guard on a value of the model names a line")
    scale = [g for g in guards if g["source"].endswith("scale") or "scale'" in g["text"]]
    ok(scale and all(g["line"] == at("checked") and g["function"] == "forward" for g in scale),
       "a guard names the library's line that made it", scale)
    ok(all(g["outer_line"] == at("called") for g in scale), "and the outer line", scale)
    like(d.text("explain -g " + whole), r"scale.*# library\.py:%d \(from library\.py:%d\)" % (at("checked"), at("called")),
         "explain has both")
    inner = [g for g in d.rows("info guards " + of("loss")[0]) if g["source"].endswith("scale")]
    is_([(g["line"], g["outer_file"], g["outer_line"]) for g in inner], [(at("checked"), path, own("own"))] * len(inner),
        "a guard of a library's line has the program's line beside it")
    links = d.rows("info links line %s:%d" % (path, own("own")))
    ok(str(inner[0]["guard"]) in [r["id"] for r in links if r["what"] == "guard"],
       "the program's line is linked with guards of what it called", links)

    # ---- guards on shapes ------------------------------------------------------------------------------------------------
    first, second, third = of("shapes")
    shape = [g for g in d.rows("info guards " + second) if g["epilogue"]]
    texts = {g["text"]: g for g in shape}
    ok(len(shape) > 2 and len({g["guard"] for g in shape}) == 1 and [g["part"] for g in shape] == list(range(1, len(shape) + 1)),
       "each condition of a guard on shapes is a row, with the guard's number", shape)
    is_([g["line"] for t, g in texts.items() if "!=" in t], [own("first")], "a condition names the line that torch's log has")
    is_([g["line"] for t, g in texts.items() if "2*" in t], [own("second")], "each its own")
    is_({g["file"] for g in shape}, {path}, "with the whole path")
    even = [g for e in of("wrapper") for g in d.rows("info guards " + e) if g["epilogue"] and "% 2" in g["text"]]
    ok(even and all((g["file"], g["line"]) == (library, at("even")) for g in even), "one of a library the library's line", even)
    like(d.text("explain -g " + second), r"size\(\)\[0\] > 2\*.*# prog\.py:%d$" % own("second"), "explain has each on a line")

    # ---- breaks and side effects -------------------------------------------------------------------------------------------
    b = [b for b in d.rows("info breaks") if b["function"] == "around"][0]
    is_((b["file"], b["line"], b["own_line"]), (library, at("broken"), own("around")), "a break has both lines")
    effects = [r for e in entries for r in d.rows("info side-effects " + e["entry"])]
    ok(any((r["file"], r["line"]) == (library, at("effect")) for r in effects), "a side effect names the library's line", effects)
    replaced = [n for e in entries if "around" in e["function"] and e["graphs"]
                for n in d.rows("info graph " + e["entry"]) if n["line"] == at("replaced")]
    guards = [g for e in entries if "around" in e["function"] for g in d.rows("info guards " + e["entry"])
              if "dataclasses.py" in (g["made"] or "")]
    ok(replaced and guards and all(g["line"] == at("replaced") for g in guards),
       "lines of Python's own library give way to the line that called it", guards)

    # ---- what torch itself compiles ------------------------------------------------------------------------------------------
    d.do("delete")
    d.do("tbreak %d" % line_of(path, "end = 1"))
    d.go()
    torch_entries = [e["entry"] for e in d.rows("info entries") if e["entry"] not in [x["entry"] for x in entries]]
    nodes = [n for e in torch_entries for n in (d.cmd("info graph " + e).get("rows") or []) if n["op"] != "output"]
    ok(nodes and all(n["file"] in (path, library) for n in nodes),
       "nodes of torch's own function name the program's line that called it", [n for n in nodes if n["file"] != path][:3])
    ok(any("torch's sgd.py" in (n["place"] or "") for n in nodes), "beside torch's line", nodes[:3])

# ---- why a condition on shapes fails -----------------------------------------------------------------------------------------
with Cdbg(path) as d:
    d.do("catch recompile shapes")
    d.go()
    failing = d.rows("info why")
    is_([(f["text"], f["line"]) for f in failing], [("L['x'].size()[0] == 1 + L['y'].size()[0]", own("first"))],
        "a guard on shapes fails by the condition that does not hold, with its line")
    rows = [g for g in d.rows("info guards") if g["epilogue"]]
    is_([g["ok"] for g in rows], [g["text"] != failing[0]["text"] for g in rows], "its other conditions hold")
    is_([(f["text"], f["line"]) for e in d.stop["detail"]["entries"] for f in e["failing"]],
        [(f["text"], f["line"]) for f in failing], "the stop tells the same")

status, out, err = run(path, commands=["catch recompile shapes", "continue", "info guards"])
like(out, r"entry \S+ of shapes: (\d+) guards, 1 FAILS\n(.*\n)*.*\bFAILS\b.*prog\.py:%d\n.*2 <= " % own("first"),
     "for people, too, the conditions count as one guard, each with its line")

done()
