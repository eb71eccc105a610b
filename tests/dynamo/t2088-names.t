#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Names for people: sources as in the program, long names that stay different, functions with their class."""
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()

MODEL = """
import functools
import torch
from torch import nn

def decorated(func):
    @functools.wraps(func)
    def wrapper(self, *args, **kwargs):
        return func(self, *args, **kwargs)
    return wrapper

def logged(func):
    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        return func(*args, **kwargs)
    return wrapper

class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query_projection = nn.Linear(4, 4)
        self.value_projection = nn.Linear(4, 4)
    def forward(self, x):
        return self.query_projection(x) + self.value_projection(x)

class LayerOfTheEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention_of_the_layer = Attention()
    def forward(self, x):
        return self.attention_of_the_layer(x)

class FirstModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers_of_the_encoder = nn.ModuleList([LayerOfTheEncoder() for i in range(2)])
    @decorated
    def forward(self, x):
        for layer in self.layers_of_the_encoder:
            x = layer(x)
        return x

class SecondModel(nn.Module):
    @decorated
    def forward(self, x):
        return x.relu()

@torch.compile(backend="eager")
@logged
def helper(x, n):
    return len(str(n)) + x + n

def make(function):
    def closure(x):
        return function(x) + 1
    return closure

def main():
    first = torch.compile(FirstModel(), backend="eager", dynamic=False)
    second = torch.compile(SecondModel(), backend="eager")
    first(torch.ones(2, 4))
    second(torch.ones(2, 4))
    helper(torch.ones(3), 5)
    torch.compile(make(torch.sin), backend="eager")(torch.ones(3))
    first(torch.ones(3, 4))                 # again
    print("end")
main()
"""

with Cdbg(MODEL) as d:
    again = d.line_of("# again")
    d.do("tbreak %d" % again)
    d.go()
    d.do("catch recompile")
    stop = d.go()
    is_(stop["frame"]["function"], "wrapper", "machines get the code's own name")
    is_(stop["frame"]["qualname"], "FirstModel.forward", "and beside it that of the function which a decorator wrapped")
    rows = d.rows("info entries")
    is_([(r["function"], r["qualname"]) for r in rows][:3],
        [("wrapper", "FirstModel.forward"), ("wrapper", "SecondModel.forward"), ("wrapper", "helper")],
        "entries of one wrapper's code are distinguished by what was wrapped")
    is_(rows[3]["qualname"], "closure", "a function that only closes over another one keeps its name")
    is_([r["entry"] for r in d.rows("info entries SecondModel.forward")], [rows[1]["entry"]], "that name leads to its entry")
    guards = d.rows("info guards " + rows[0]["entry"])
    raw = [g["source"] for g in guards if g["source"].endswith("['weight']")]
    ok(raw and all("._parameters['weight']" in s for s in raw), "the source in rows is as Dynamo has it", raw)
    marks = [g for g in guards if "_dynamo_dynamic_indices" in g["text"]]
    ok(marks and all("_dynamo_dynamic_indices" in g["expected"] for g in marks) or torch_version() == (2, 6), "rows have such a guard whole", marks[:1])
    nodes = d.rows("info graph " + rows[0]["entry"])
    held = [n for n in nodes if n["op"] == "placeholder"]
    ok(all("…" not in n["node"] and "…" not in n["target"] for n in held), "rows have the names of nodes whole", held)

SOURCE = "x.layers_of_the_encoder[1].attention_of_the_layer.value_projection.weight"
commands = ["tbreak %d" % again, "continue", "catch recompile", "continue", "info entries", "info guards 0/0", "info graph 0/0", "explain -g 0/0", "backtrace", "guard why", "info compiled"]
for width in "80", "200":
    status, out, err = run(MODEL, commands=commands, env={"COLUMNS": width}, limit=300)
    entries = out[out.index("entry  function"):out.index("entry 0/0 of")]
    like(entries, r"^0/0 +FirstModel\.forward +\d", "%s columns: info entries names what is wrapped" % width)
    like(entries, r"^\S+ +SecondModel\.forward +\d", "%s columns: ... each" % width)
    like(entries, r"^\S+ +helper +\d", "%s columns: also of a wrapper that is not a method" % width)
    like(entries, r"^\S+ +closure +\d", "%s columns: a closure has its own name" % width)
    like(out, r"^stopped: FirstModel\.forward compiles again as 0/\d+: .*0/0: [\w.\[\]]+ is f32\[3,4\]", "%s columns: so has the stop, with the source as one writes it" % width)
    like(out, r"^FirstModel\.forward at .*\[compiling 0/\d+\]", "%s columns: and the frame" % width)
    like(out, r"#0 +FirstModel\.forward at .*\[compiling 0/\d+\]", "%s columns: and the backtrace" % width)
    like(out, r"^main at ", "%s columns: a function without a class has its name alone" % width)
    guards = out[out.index("entry 0/0 of FirstModel.forward"):out.index("node ")]
    like(guards, r"self\.layers_of_the_encoder\[1\]\.attention_of_the_layer\.value_projection\.weight$", "%s columns: a guard's source is as one writes it" % width)
    ok("_modules[" not in guards and "L['" not in guards, "%s columns: no source is as Dynamo has it" % width, [g for g in guards.splitlines() if "L['" in g or "_modules[" in g])
    ok("_dynamo_" not in guards, "%s columns: guards on marked dimensions are short" % width, [g for g in guards.splitlines() if "_dynamo_" in g])
    if torch_version() != (2, 6):
        like(guards, r"DIMENSION_DYNAMIC_MARKING_GUARD no dimension is marked", "%s columns: and say what they are about" % width)
    graph = out[out.index("node "):]
    graph = graph[:graph.index("FirstModel.forward, /")]
    names = re.findall(r"^(\S+) +placeholder ", graph, re.M)
    is_(len(set(names)), len(names), "%s columns: no two placeholders look alike" % width)
    ok(all(len(name) <= 60 for name in names) and any("…" in name for name in names), "%s columns: though they are cut" % width, names)
    like(graph, r"placeholder +self\.layers_of_the_encoder\[\d\]\S*weight ", "%s columns: a placeholder has its source" % width)
    like(graph, r"call_function +\S*linear +\w+, self\.layers_of_the", "%s columns: so have the arguments of nodes" % width)
    explained = out[out.index("FirstModel.forward, /"):]
    like(explained, r"type\(self\.layers_of_the_encoder\[1\]\.attention_of_the_layer\) is __main__\.Attention", "%s columns: explain has it too" % width)

MARKED = """
import torch
@torch.compile(backend="eager")
def f(x):
    return x * 2
x = torch.ones(5, 2)
torch._dynamo.mark_dynamic(x, 0)
f(x)
end = 1
"""
with Cdbg(MARKED) as d:
    d.do("break %d" % d.line_of("end = 1"))
    d.go()
    text = d.text("complete info gu") and run(MARKED, commands=["break 9", "continue", "info guards"])[1]
    if torch_version() != (2, 6):
        like(text, r"DIMENSION_DYNAMIC_MARKING_GUARD dimensions marked dynamic in \{0\}", "a guard on a marked dimension says which")
    is_([r["state"] for r in d.rows("info guards") if r["source"] == "L['x']"][0], "on", "a guard is on")
    d.do("guard drop x in 0/0")
    ok(all(r["state"] == "dropped" for r in d.rows("info guards") if r["source"] == "L['x']"), "a pattern takes the source as it is shown")
done()
