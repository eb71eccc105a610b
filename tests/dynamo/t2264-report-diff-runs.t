#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# What 'report diff' says of two runs: nothing if only addresses, hashes and times differ, and one operator that changed.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from reports import *

need_torch()
PROGRAM = '''
    import torch

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.names = {"alpha", "beta", "gamma", "delta"}
            self.pairs = {(1, "x"), (2, "y")}
            self.sizes = {"b": 1, "a": 2}

        def forward(self, x, k):
            for name in sorted(self.names):
                x = x + len(name) + self.sizes["a"]
            x = x.sin() + len(self.pairs)
            return x * k

    net = torch.compile(Net(), backend="eager")
    for k in (1, 2.5):
        net(torch.ones(3), k)
'''
path, other = script(PROGRAM, "net.py"), script(PROGRAM.replace("x.sin()", "x.cos()"), "net.py")


def diff(before, after):
    status, out, err = run("print()\n", commands=["report diff %s %s" % (before, after)])
    if "nothing changed" not in out and "Net.forward" not in out:
        return [out + err]
    # on a loaded machine any two runs may differ in time
    return [l for l in out.splitlines() if "Net.forward" in l and "compile time" not in l]


first = report(path, "first", env={"PYTHONHASHSEED": "1"})[3]
for seed in "2", "77":
    again = report(path, "seed" + seed, env={"PYTHONHASHSEED": seed})[3]
    is_(diff(first, again), [], "nothing changed in a run with another hash seed, %s" % seed)
changed = report(other, "changed", env={"PYTHONHASHSEED": "3"})[3]
lines = diff(first, changed)
like(lines[0], r"Net.forward, entry 0/0: graph changed: captured has \w+ cos\(.*\) f32\[3\] cpu instead of sin\(", "an operator that took the place of another one")
is_(len([l for l in lines if "graph" in l]), 2, "once in each of the two entries")
ok(not [l for l in lines if "names" in l or "pairs" in l], "and sets are not mentioned", lines)

sets = script(PROGRAM.replace('"delta"}', '"delta", "eps"}'), "net.py")
lines = diff(first, report(sets, "sets", env={"PYTHONHASHSEED": "4"})[3])
like("\n".join(lines), r"guard changed: EQUALS_MATCH of \S*names is now \{'alpha', 'beta', 'delta', 'eps', 'gamma'\}", "a set with another element is one that changed")
done()
