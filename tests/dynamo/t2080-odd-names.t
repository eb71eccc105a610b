#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Names and files that UTF-8 cannot hold (lone surrogates, as surrogateescape makes of other bytes) in what Dynamo sees.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = r'''
import types
import torch

SOURCE = """
import torch
@torch.compiler.disable
def off(x):
    return x + 1
@torch.compiler.disable(reason="bad \\udce9 reason")
def off_for(x):
    return x + 1
def helper(x):
    return x * 2
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(2, 2)
        self.table = {"\\udc80": 3}
    def forward(self, x):
        return self.linear(helper(x)) * self.table["\\udc80"]
def broken(x):
    y = helper(x)
    torch._dynamo.graph_break()
    return off(y)
def skipped(x):
    for i in range(2):
        torch._dynamo.graph_break()
        x = x + 1
    return off_for(x)
def keywords(x, **k):
    return x + k["a\\udce9"]
"""
space = {"__name__": "mod\udce9"}
exec(compile(SOURCE, "/tmp/caf\udce9.py", "exec"), space)
module = types.ModuleType("mod\udce9")
module.__dict__.update(space)
import sys
sys.modules["mod\udce9"] = module
for name in "helper", "keywords":
    f = space[name]
    f.__code__ = f.__code__.replace(co_name=name + "\udce9", co_qualname=name + "\udce9")

def call(name, *args, **named):
    try:
        v = space[name]
        made = torch.compile(v() if isinstance(v, type) else v, backend="eager")(*args, **named)
        print(name, tuple(made.shape))
    except Exception as e:
        print(name, type(e).__name__)

x = torch.ones(2)
call("M", x)
call("keywords", x, **{"a\udce9": 1})
call("keywords", x, **{"a\udce9": 2})
call("broken", x)
call("skipped", x)
print(tuple(space["off"](x).shape), tuple(space["off_for"](x).shape))
'''

# ---- a program with such names runs to its end, and is reported -------------------------------------------------------
path = script(PROGRAM)
plain = bare(path)[1]
with Cdbg(path, env={"PYTHONIOENCODING": "utf-8"}) as d:
    d.do("catch graph-break")
    d.do("catch recompile")
    stops = []
    stop = d.go()
    while stop.get("event") == "stopped":
        stops.append(stop["reason"])
        for line in "info locals", "info breaks", "info guards", "explain":
            d.cmd(line)
        stop = d.go()
    is_(stop.get("status"), 0, "a program with lone surrogates in co_filename and co_name runs to its end under cdbg")
    is_(d.out, plain, "it prints what it prints without cdbg")
    like("".join(stops), "recompile", "its recompiles are caught")
    rows = {r["function"]: r for r in d.rows("info compiled")}
    like(" ".join(rows), r"keywords\\udce9", "info compiled shows a surrogate in a function's name escaped")
    is_({rows[name]["file"] for name in ("forward", "broken", "off")}, {r"/tmp/caf\udce9.py"}, "... and in its file's name")
    is_([r["line"] for r in rows.values() if r["function"] == "off"], [3],
        "a function that torch.compiler.disable took, in such a file, is listed")
    graph = d.rows("info graph " + next(r["id"] if "id" in r else r["entry"] for r in d.rows("info entries")
                                        if r["function"] == "forward"))
    is_({r["file"] for r in graph if r["op"] not in ("placeholder", "output")}, {r"/tmp/caf\udce9.py"},
        "nodes of a graph from such a file name it")

done()
