#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Captured graphs: their nodes with arguments, values, lines and users, as plain data that keeps nothing alive."""
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()

PROGRAM = """
import gc
import weakref
import torch

class Box:
    pass

def helper(t):
    return torch.chunk(t, 2)                # inlined

@torch.compile(backend="eager", dynamic=True)
def f(x, l):
    y = x.sin() + 1                         # two nodes
    z = torch.nn.functional.relu(y[1:, None], inplace=False)
    a, b = helper(z)
    q = a.to(device="cpu", dtype=torch.float64)
    l.append(q)
    return q * x.shape[0], b

x = torch.ones(8)
alive = weakref.ref(x)
f(x, [])
f(torch.ones(9), [])
del x
gc.collect()
done = alive()
end = 1
"""

with Cdbg(PROGRAM) as d:
    is_(d.rows("info graphs"), [], "before torch compiles anything there is no graph")
    like(d.error("info graph"), "no graph was captured", "info graph then reports it")
    d.do("break %d" % d.line_of("end = 1"))
    d.go()
    graphs = d.rows("info graphs")
    is_([(g["graph"], g["stage"], g["entry"]) for g in graphs], [("__compiled_fn_1", "captured", "0/0")],
        "a graph has its name without what makes it unique, its stage and its entry")
    nodes = d.rows("info graph __compiled_fn_1")
    by = {n["node"]: n for n in nodes}
    is_(graphs[0]["nodes"], len(nodes), "info graphs counts the nodes that info graph lists")
    is_((nodes[-1]["op"], nodes[-1]["args"]), ("output", "(mul, b, q)"), "the last node is the output, with what it gives back")
    x = by["l_x_"]
    size = [name for name in by if re.fullmatch(r"s\d+", name)][0]     # s0 or s77: torch's choice
    is_((x["op"], x["source"], x["value"], x["users"]), ("placeholder", "L['x']", "f32[%s] cpu" % size, ["sin"]),
        "a placeholder has its source, its symbolic shape and who takes it")
    is_((by[size]["value"], by[size]["source"]), (size, "L['x'].size()[0]"), "a symbolic size is shown by its name")
    is_([by[n]["target"] for n in ("sin", "y", "z", "chunk")],
        ["sin", "operator.add", "torch.nn.functional.relu", "torch.chunk"], "targets read as one writes them")
    is_(by["getitem"]["args"], "y, (1:, None)", "a slice among the arguments reads as one writes it")
    is_(by["q"]["args"], "a, device='cpu', dtype=torch.float64", "keyword arguments have their names")
    is_((by["sin"]["line"], by["y"]["line"]), (d.line_of("# two nodes"),) * 2, "each node has the user's line")
    is_((by["chunk"]["line"], by["chunk"]["function"]), (d.line_of("# inlined"), "helper"), "in an inlined function, that function's line")
    is_(by["q"]["users"], ["mul", "output"], "each user is named once, in order")
    is_(by["chunk"]["value"].count("f32["), 2, "a node with several values shows them all")
    is_(d.rows("info graph 1"), nodes, "the number is name enough")
    is_(d.rows("info graph 0/0"), nodes, "so is the entry")
    like(d.error("info graph nope"), r"no graph 'nope': there are __compiled_fn_1", "a wrong name is answered with those that are")
    is_(d.text("print done"), "None", "the program's tensors die as without cdbg")
    is_(len(d.rows("info entries")), 1, "looking adds no guard: the second size needs no second entry")
    d.do("delete")
    d.run_out()
    is_(d.rows("info graph 1"), nodes, "after the end the nodes are still there")

with Cdbg(os.path.join(top, "doc/examples/toy.py")) as d:
    d.do("break toy_example")
    d.go()
    d.go("continue")
    nodes = d.rows("info graph")
    ok(all(n["current"] for n in nodes), "at the graph call all nodes are current")

    def links(of=""):
        found = {}
        for r in d.rows(("info links " + of).strip()):
            found.setdefault(r["what"], []).append(r["id"])
        return found

    here = links()
    is_((here["entry"], here["region"]), (["0/0"], ["0/0:graph call"]), "the instruction of a graph call belongs to its entry and region")
    is_(here["node"], ["__compiled_fn_1:" + n["node"] for n in nodes], "and to all nodes of the graph")
    code = d.rows("info code")
    load = [r["index"] for r in code if r["region"] == "graph call" and (r["opname"], r["arg"]) == ("LOAD_FAST", "b")]
    is_([links("instruction 0/0:%d" % k)["node"] for k in load], [["__compiled_fn_1:l_b_"]], "loading an argument belongs to its placeholder alone")
    is_(links("node 1:l_b_")["instruction"], ["0/0:%d" % k for k in load], "and the placeholder to it")
    out = links("node 1:x")
    is_([code[int(i.split(":")[1])]["region"] for i in out["instruction"]], ["outputs"] * len(out["instruction"]),
        "an output belongs to the instruction that takes it out of the graph's result")
    is_([links("instruction " + i)["node"] for i in out["instruction"]][0], ["__compiled_fn_1:x"], "and that instruction to it")
    is_(links("line toy.py:7")["node"], ["__compiled_fn_1:" + n for n in ("l_a_", "abs_1", "add", "x")], "a line belongs to the nodes it made")
    is_(links("region 0/0:break")["line"], [d.path + ":8"], "a region to its lines")
    again = [r for r in links("entry 0/0")["region"] if re.match(r"0/0:resume call@\d+$", r)]
    is_(len(again), 1, "the second region of a name is distinguished from the first by its instruction")
    ok(links("region " + again[0])["line"] != links("region 0/0:resume call")["line"], "and belongs to another line")
    is_({r.split("@")[0] for r in links("entry 0/0")["region"]}, {"0/0:" + r["region"] for r in code}, "an entry to all its regions")
    guards = {str(r["guard"]): r for r in d.rows("info guards 0/0")}
    of_a = [k for k, r in guards.items() if "L['a']" in (r["source"] or r["text"])]
    is_(sorted(links("node 1:l_a_")["guard"]), sorted(of_a), "a placeholder belongs to the guards of its source")
    there = links("guard " + of_a[0])
    is_((there["node"], there["entry"], there["line"]), (["__compiled_fn_1:l_a_"], ["0/0"], [d.path + ":7"]), "and a guard to it, its entry and its line")
    ok(there["instruction"] and all(of_a[0] in links("instruction " + i)["guard"] for i in there["instruction"]), "and to the instructions that load it, and they to it", there)
    ok(of_a[0] in links("line toy.py:7")["guard"] and of_a[0] not in links("line toy.py:9").get("guard", []), "a line belongs to the guards it made")
    is_(sorted(links("entry 0/0")["guard"]), sorted(guards), "an entry to all its guards")
    like(d.error("info links guard 9999"), "unknown: 'guard 9999'", "a guard that does not exist is refused")
    like(d.error("info links frob 1"), "unknown: 'frob 1'", "an unknown kind is refused with the kinds that exist")
done()
