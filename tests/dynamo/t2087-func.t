#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whatever break takes as a function, views and commands of the Dynamo plugin take too; without one, the current function."""
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()

MODULES = """
import functools
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(4, 4)
    def forward(self, x):
        y = self.a(x)
        if y.sum() > 100:                   # the break
            y = y + 1
        return y.relu()

class Other(torch.nn.Module):
    def forward(self, x):
        return x.relu()

class Model:
    def __init__(self):
        self.parts = [torch.compile(Other(), backend="eager")]
    def run(self, x):
        return x * 2

def plain(x):
    return x + 1

def inlined(x):
    return x - 1

@torch.compile(backend="eager")
def outer(x):
    return inlined(x) * 3

def main():
    net = Net()
    compiled = torch.compile(net, backend="eager")
    model = Model()
    method = torch.compile(model.run, backend="eager")
    half = functools.partial(torch.compile(plain, backend="eager"))
    x = torch.ones(2, 4)
    print("start")                          # before
    for i in range(2):
        compiled(x), model.parts[0](x), method(x), half(x), outer(x)
    print("end")                            # after
main()
"""

FUNCS = {               # what break takes -> entries
    "net": ["0/0", "1/0"],
    "compiled": ["0/0", "1/0"],
    "Net.forward": ["0/0", "1/0"],
    "net.forward": ["0/0", "1/0"],
    "prog.py:Net.forward": ["0/0", "1/0"],
    "model.parts[0]": ["2/0"],
    "Other.forward": ["2/0"],
    "method": ["3/0"],
    "model.run": ["3/0"],
    "half": ["4/0"],
    "inlined": ["5/0"],
    "outer": ["5/0"],
    "forward": ["0/0", "1/0", "2/0"],
}

with Cdbg(MODULES) as d:
    d.do("break %d" % d.line_of("# before"))
    d.do("break %d" % d.line_of("# after"))
    d.go()
    stops = d.do("catch compile model.parts[0]")
    like(stops["text"], r"catchpoint 3: compile .*prog.py:Other.forward", "catch takes an expression, and keeps the function that it gave")
    like(d.error("catch compile 1 +"), "yntax", "an expression that is wrong is refused")
    d.do("catch graph-break -r compiled")
    like(d.text("catch skip never_defined"), "skip never_defined", "a name that does not exist yet is taken")
    d.do("delete 4")
    is_(d.go()["frame"]["entry"], "2/0", "the catchpoint stops for that function alone")
    is_(d.go()["frame"]["line"], d.line_of("# after"), "and for no other")
    for func, entries in FUNCS.items():
        d.do("tbreak " + func)
        is_([r["entry"] for r in d.rows("info entries " + func)], entries, "info entries takes %s, as break does" % func)
    for view in "guards", "graphs", "why", "cost":
        reply = d.cmd("info %s compiled" % view)
        if reply["ok"]:
            ok(set(r["entry"] for r in reply["rows"]) == {"0/0", "1/0"}, "info %s takes a compiled module" % view, reply)
        else:
            like(reply["error"], "no call to check|no arguments to measure", "info %s takes a compiled module, and needs a call of it" % view)
    for view in "breaks", "resume", "side-effects", "compiled":
        reply = d.cmd("info %s net" % view)
        ok(reply["ok"], "info %s takes a module" % view, reply)
    is_([r["function"] for r in d.rows("info compiled net")], ["forward", "torch_dynamo_resume_in_forward_at_%d" % d.line_of("# the break")],
        "info compiled of a module has its forward and what resumes that")
    is_([r["entry"] for r in d.rows("guard list compiled")][0], "0/0", "guard list takes a compiled module")
    like(d.text("explain compiled"), r"\ANet.forward, .*prog.py:8\n", "explain takes a compiled module")
    is_(d.text("explain net"), d.text("explain Net.forward"), "a module is explained as its forward is")
    like(d.text("explain inlined"), r"\Aouter, ", "a function that is inlined is explained by what it is inlined in")
    is_(d.rows("info graph compiled")[0]["entry"], "0/0", "info graph takes a compiled module")
    like(d.text("graph code net"), "def __compiled_fn_1", "graph code takes a module")
    like(d.text("entry list method"), r"^3/0 ", "entry list takes a compiled method")
    like(d.text("entry disable method"), "3/0", "a function stands for its only entry in commands that change it")
    d.do("undo")
    like(d.text("eager compiled"), "forward", "eager takes a compiled module")
    d.do("undo")
    like(d.text("backend eager for model.parts[0]"), "forward will be compiled by eager", "backend takes an expression")
    d.do("undo")
    like(d.error("info entries Net.backward"), "no function|no attribute", "a method that does not exist is refused")
    like(d.error("info entries main"), "no function 'main'", "a function that Dynamo has not looked at is refused")
    like(d.error("info entries nothing_here.at_all"), "nothing_here", "a name that means nothing is refused")

HAND = """
import torch
def first(x, n):
    return x + n
@torch.compile(backend="eager")
def second(x, n):
    y = x * n
    print(n)                                # the break
    return y - n
def main():
    one = torch.compile(first, backend="eager", dynamic=False)
    for n in 1, 2:
        one(torch.ones(3), n)
        second(torch.ones(3), n)
    torch._dynamo.reset()
    one(torch.ones(3), 3)
    print("end")                            # after
main()
"""

with Cdbg(HAND) as d:
    d.do("catch compile")
    d.do("catch recompile")
    stop = d.go()
    seen = {}
    while stop["reason"] in ("compile", "recompile"):
        entry = stop["frame"]["entry"]
        if stop["reason"] == "compile":
            seen[entry] = (set(r["entry"] for r in d.rows("info graph")), re.findall(r"^entry (\S+):", d.text("explain"), re.M)[:1])
        elif entry == "0/1":
            seen["recompile"] = (d.rows("info graph")[0]["entry"], re.findall(r"^entry (\S+):", d.text("explain"), re.M))
        stop = d.go() if entry != "0/1" or stop["reason"] != "compile" else None
        if not stop:
            break
    ok(all(graph == {entry} for entry, (graph, _) in seen.items() if entry != "recompile"), "info graph at a compile stop is that of the entry just compiled", seen)
    ok(all(said == [entry] for entry, (_, said) in seen.items() if entry != "recompile"), "explain at a compile stop begins with the entry just compiled", seen)
    is_(seen.get("recompile"), ("0/0", ["0/0"]), "at a recompile stop they show what that function has, not others")
    d.do("delete")
    d.do("tbreak second@graph-call")
    stop = d.go()
    is_(stop["frame"]["entry"][:2], "1/", "a stop in generated code")
    text = d.text("explain")
    like(text, r"\Asecond, ", "explain without a name has the selected frame's entry")
    is_([e for e in re.findall(r"^entry (\S+):", text, re.M) if not e.startswith("2/")], [stop["frame"]["entry"]],
        "and of no other, but for what resumes it")
    d.do("break %d" % d.line_of("# after"))
    d.go()
    states = dict((r["entry"], r["state"]) for r in d.rows("info entries first"))
    ok("invalidated" in states.values() and "live" in states.values(), "a reset invalidates entries", states)
    shown = re.findall(r"^entry (\S+): (\w+)", d.text("explain first"), re.M)
    ok(shown and all(state == "live" for _, state in shown), "explain leaves invalidated entries out", shown)
    like(d.text("explain first"), r"^2 more entries of first are not shown: .*'explain -a", "and says how many it leaves out")
    is_(sorted(e for e, _ in re.findall(r"^entry (\S+): (\w+)", d.text("explain -a first"), re.M)), sorted(states), "explain -a shows all")
    like(d.text("explain 0/0"), r"^entry 0/0: invalidated", "an invalidated entry is shown by its name")
    live = [e for e in states if states[e] == "live"]
    is_(d.rows("info graph")[0]["entry"], live[0], "info graph takes the only graph of a live entry")
    like(d.error("info graph -a"), r"there are several graphs: name one of", "with -a those of invalidated entries count as well")

done()
