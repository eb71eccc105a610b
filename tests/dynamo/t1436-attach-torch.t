#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What torch compiled before cdbg attached is there: entries, seconds, reasons, graph breaks; and a recompile is explained."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from attaching import Attached, Running  # noqa: E402

need_torch()
p = Running("""
import torch
@torch.compile(backend="eager")
def f(x, flag):
    y = x.sin() * 2
    if y.sum() < -1e9:
        y = y + 1
    if flag:
        y = y.cos()
    return y.sum()
for i in range(8): f(torch.ones(8 + i % 2), i % 3 == 0)
class Counts(torch.nn.Module):
    steps = 0
    def forward(self, x): return self.linear(x) / (1 + self.steps)
model = Counts()
model.linear = torch.nn.Linear(2, 2)
counts = torch.compile(model, backend="eager")
for model.steps in range(8): counts(torch.ones(2))
ready()
want = f(torch.ones(8), False).item()
right = True
while not over(): right = right and f(torch.ones(8), False).item() == want
tell(right)
""")
d = Attached(p.pid)
d.event("stopped")
rows = [r for r in d.cmd("info entries")["rows"] if "forward" not in r["function"]]
is_(len(rows), 5, "the entries that were made before")
is_([r["entry"] for r in rows if not r["seconds"]], [], "each with the seconds of its compile")
is_([r["entry"] for r in rows if r["reason"]], ["0/1", "1/1", "1/2"], "those that were compiled again say why")
is_(next(r["reason"] for r in rows if r["entry"] == "1/2"), "1/1: flag == False", "in the words of the guard")
breaks = d.cmd("info breaks")["rows"]
is_([(b["line"], b["entry"]) for b in breaks], [(p.line("if y.sum()"), "0/0"), (p.line("if y.sum()"), "0/1")], "the graph breaks, and the entries that they are of")
note = next(r["reason"] for r in d.cmd("info compiled")["rows"] if "forward" in r["function"])
like(note, r"^8 entries, as many as recompile_limit allows: ", "a function with as many entries as the limit allows is named")
like(d.cmd("explain Counts.forward")["text"], r"Note: 8 entries.*\n(.*\n)*.*7 x self.steps == 0\n.*\n +remedy: integers in modules are constants", "explain names it, and the remedy for modules")
d.send("detach")
d.close()
is_(p.end()[0].split()[0], "right", "the program's results are right")
done()
