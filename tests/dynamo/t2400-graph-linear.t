#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# What graph compare and graph memory do of their own grows with the number of nodes, not with its square; a small graph is compared without
# measuring it first; an input that is larger than the traced one is measured.
import os
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from peak import estimate

need_torch()

# Prints a line "name: answer" for each fact. The files share one namespace, as in cdbg.
PROGRAM = r"""
import sys, torch
sys.path.insert(0, sys.argv[1] + "/tests/lib")
from graph_namespace import graph_namespace
ns = graph_namespace(sys.argv[1])
graphs = {}

def kept_of(n, width=3, more=""):
    def f(x):
        for i in range(n // 2):
            x = torch.sin(x) * 2
        return x
    def keep(gm, inputs):
        graphs[n] = ns["Kept"].of(gm)
        return gm.forward
    torch._dynamo.reset()
    torch.compile(f, backend=keep)(torch.ones(width))
    return graphs[n]

def eager(gm, inputs):
    return gm.forward

# how much is done by functions of these files: elements of what they loop over, seen as lines that run
def lines_of(run):
    count = [0]
    def trace(frame, event, arg):
        if "/cdbg_graphs/" not in frame.f_code.co_filename:
            return None
        count[0] += 1
        return trace
    sys.settrace(trace)
    run()
    sys.settrace(None)
    return count[0]

def grows(what, run):
    small, large = (lines_of(lambda: run(n)) for n in (200, 800))
    print("%s: %s" % (what, "same" if large < 5 * small else "%d lines for 200 nodes, %d for 800" % (small, large)))

def computed(n):
    kept, x = graphs[n], torch.ones(3)
    made = [node.name for node in kept.graph.nodes if node.op == "call_function"]
    def run(look):
        for name in made:
            look(name, x)
    return kept, made, run

def window(n):
    kept, made, run = computed(n)
    places = len(kept.graph.nodes)
    plan = ns["Plan"]([0] * places, [0] * places, 0, 1 << 40, {name: 12 for name in made})
    values = ns["Window"](kept.graph, run, 1 << 40, plan)
    for node in kept.graph.nodes:
        values.at(node)
        values.prepare(node.name)
        values.take(node.name)
    assert not values.held and values.size == 0

def few_held(n):
    kept, made, run = computed(n)
    few = ns["Window"](kept.graph, run, 12 * 10)            # ten at once
    taken, most = 0, 0
    for node in kept.graph.nodes:
        few.at(node)
        most = max(most, len(few.held))
        taken += few.take(node.name) is not None
    print("each value is taken while ten are held: %s" % ("same" if (taken, most) == (len(made), 10) else str((taken, most))))

for n in (200, 800):
    kept_of(n)
grows("values of a backend are held and taken", window)
few_held(200)
grows("graph compare", lambda n: ns["graph_compare"](graphs[n], eager, [torch.ones(3)], False, False, None, None))
grows("graph compare -backward", lambda n: ns["graph_compare"](graphs[n], eager, [torch.ones(3, requires_grad=True)], True, False, None, None))
grows("graph memory", lambda n: ns["graph_memory"](graphs[n], [torch.ones(3)], False, False))
grows("copies of many inputs", lambda n: ns["copies_of"]([torch.ones(3) for _ in range(n)], False))

measured = []
whole = ns["size_of_run"]
ns["size_of_run"] = lambda *args: measured.append(args) or whole(*args)
small = ns["graph_compare"](graphs[200], eager, [torch.ones(3)], False, False, None, None)
print("a small graph is not measured: %s" % ("same" if not measured and small["first"] is None and 0 < small["needs"] <= small["estimate"] else small))
ns["graph_compare"](graphs[200], eager, [torch.ones(1 << 20)], False, False, None, None)
print("with a larger input it is: %s" % ("same" if len(measured) == 1 else measured))
large = ns["graph_compare"](kept_of(202, 1 << 20), eager, [torch.ones(1 << 20)], False, False, None, None)
print("a graph of larger values is: %s" % ("same" if len(measured) == 2 and large["estimate"] > 1 << 22 else measured))
def hidden(x):
    return torch.nn.functional.scaled_dot_product_attention(x, x, x) + torch.einsum("ik,jk->ij", x[0], x[0]).sum() * torch.cdist(x, x).mean()
def keep(gm, inputs):
    graphs[0] = ns["Kept"].of(gm)
    return gm.forward
torch.compile(hidden, backend=keep)(torch.ones(1, 1500, 4))
ns["graph_compare"](graphs[0], eager, [torch.ones(1, 1500, 4)], False, False, None, None)
print("and one whose operations make large values inside: %s" % ("same" if len(measured) == 3 else measured))
"""
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "linear.py")
    with open(path, "w", encoding="utf-8") as f:
        f.write(PROGRAM)
    r = python(path, top, limit=300)
said = r.stdout.splitlines()
ok(len(said) == 10 and r.returncode == 0, "all cases run", r.stdout[-300:] + r.stderr[-1500:])
for line in said:
    name, _, answer = line.partition(": ")
    is_(answer, "same", name)

with Cdbg("""
    import torch
    def f(x):
        return (x[:, None] * x[None, :]).sum()
    c = torch.compile(f, backend="eager")
    for i in range(2):
        c(torch.ones(4))
    print("done")
    """, limit=240) as d:
    d.do("break f")
    d.go()
    d.go()
    size = estimate(d, "graph run with x=torch.ones(30000)", "a run whose given input is much larger than the traced one")
    ok(3.5 < size < 4, "... by the sizes that it has with that input", size)
    ok(d.cmd("graph run with x=torch.ones(3000)")["ok"], "one that fits is run")
    d.do("delete")
    d.run_out()
    is_(d.out, "done\n", "the program ends as ever")
done()
