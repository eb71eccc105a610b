#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`report diff` names the operators that come and go in graphs of any size, in time that grows with the size."""
import copy
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from reports import *

need_torch()
NODES = 5000
path = script("""
    import torch

    def f(x):
        return x.sin() + x.cos()

    torch.compile(f, backend="eager")(torch.ones(2))
""")
first = report(path, "first")[3]


def graph(operators):
    """f's report with a graph of these operators between its inputs and its output."""
    def change(d):
        stage = d["functions"][0]["entry"][0]["graphs"][0]["stages"][0]
        inputs = [n for n in stage["nodes"] if n["op"] == "placeholder"]
        like_this = next(n for n in stage["nodes"] if n["op"] not in ("placeholder", "output"))
        middle = []
        for i, name in enumerate(operators):
            middle.append(dict(copy.deepcopy(like_this), node="n%d" % i, target=name))
        stage["nodes"] = inputs + middle + [stage["nodes"][-1]]
    return change


def diff(x, y):
    began = os.times()
    said = run(script("print()\n\n"), commands=["report diff %s %s" % (x, y), "quit"], options=["-q", "--plain"])[1]
    ended = os.times()
    return said, ended.children_user + ended.children_system - began.children_user - began.children_system


# every operator has a name of its own, which is the most work
names = ["operator_%d" % (i * 7919 % NODES) for i in range(NODES)]
large = changed(first, "large", graph(names))
more = changed(first, "more", graph(names[:2500] + ["torch.relu", "torch.relu", "torch.relu"] + names[2500:]))
few = changed(first, "few", graph(names[:10] + ["torch.tanh"] + names[10:NODES - 20]))
base = diff(first, first)[1]
said, used = diff(large, more)
like(said, r"(?m)graph grown: captured has %d nodes instead of %d: added torch.relu \(3\)$" % (NODES + 5, NODES + 2),
     "of a graph of 5,000 nodes the operator that was added is named, with its count")
note("%.2f s more than for a small graph" % (used - base))
ok(used - base < 3, "within seconds of the processor", "%.2f s" % (used - base))
said, used = diff(large, few)
like(said, r"(?m)added torch.tanh; gone operator_\d+, operator_\d+, operator_\d+, operator_\d+, ...$",
     "of many operators that are gone the first four are named")
first_gone = names[NODES - 20]
like(said, r"gone %s," % first_gone, "in the order of the graph")
other = changed(first, "other", graph(names[:-1] + ["torch.relu"]))
said, used = diff(large, other)
like(said, r"graph changed: captured has n4999 torch.relu\(", "in a graph of as many nodes the first that differs is named, though it is the last")
ok(used - base < 3, "within seconds of the processor, too", "%.2f s" % (used - base))
done()
