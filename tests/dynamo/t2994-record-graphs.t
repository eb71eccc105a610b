#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Recording graphs: those that autograd calls and those in other threads too; Python outside of compiled calls keeps its speed."""
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
TEXT = """\
import ctypes
import threading
import torch

api = ctypes.pythonapi
seen = {}

def note(where):
    "Is an evaluator of frames other than CPython's own installed?"
    api._PyInterpreterState_GetEvalFrameFunc.restype = api.PyInterpreterState_Get.restype = ctypes.c_void_p
    api._PyInterpreterState_GetEvalFrameFunc.argtypes = [ctypes.c_void_p]
    now = api._PyInterpreterState_GetEvalFrameFunc(api.PyInterpreterState_Get())
    seen.setdefault(where, set()).add(now != ctypes.cast(api._PyEval_EvalFrameDefault, ctypes.c_void_p).value)

@torch._dynamo.allow_in_graph
def noted(x):
    note("graph")
    return x * 1

@torch._dynamo.disable
def outside(x):
    return x.sum()

@torch.compile(backend="eager")
def eager(x):
    return noted(x).cos()

@torch.compile(backend="aot_eager")
def loss(x, w):
    y = (x * w).sin()
    part = outside(y)
    return y.sum() + part

x, w = torch.ones(3), torch.ones(3, requires_grad=True)

def step(w=w):
    w.grad = None
    eager(x)
    note("plain")
    r = loss(x, w)
    note("plain")
    r.backward()
    note("plain")
    return w.grad

for i in range(3):
    step()
seen.clear()                            # warm
for i in range(2):
    step()
gradient = step()                       # one thread
before = sorted((k, sorted(v)) for k, v in seen.items())

def other():
    step(torch.ones(3, requires_grad=True))
    ready.wait()                        # other thread

ready = threading.Barrier(2)
threads = [threading.Thread(target=other) for i in range(2)]
[t.start() for t in threads]
[t.join() for t in threads]
seen.clear()
note("plain")
print("seen", before, sorted(seen["plain"]), gradient.tolist())
"""


def graphs(d):
    """The calls of graphs in the record of this thread: their functions' entries, and how each ended."""
    return [(r["entry"], r["ended"]) for r in d.rows("info calls") if r["arguments"].startswith("self=<GraphModule")]


with Cdbg(TEXT) as d:
    for place in ("warm", "one thread", "other thread"):
        d.cmd("break %d" % d.line_of("# " + place))
    d.go()
    like(d.text("record"), r"generated code and graphs", "compiled code and graphs are recorded")
    d.go()
    calls = graphs(d)
    entries = [e for e, _ in calls]
    # of a step: that of eager; forward of both parts of loss; backward of both
    ok(len(calls) >= 10 and len(calls) % 2 == 0 and {h for _, h in calls} == {"return"}, "each graph's calls are recorded", calls)
    is_(entries[:len(calls) // 2], entries[len(calls) // 2:], "two steps have the same graphs")
    twice = [e for e in set(entries) if entries.count(e) == 4]
    is_(len(twice), 2, "both parts of the loss have a graph that autograd calls later")
    d.go()
    is_(graphs(d), calls[:len(calls) // 2], "a step in another thread has the same")
    d.cmd("kill")

new = version() >= (3, 12)      # there events belong to code, and no hook goes in
program = script(TEXT)
status, out, err = run(program, options=("--plain", "-q"), limit=300,
                       commands=["break %d" % line_of(program, "# warm"), "continue", "delete 1", "record", "continue"])
is_(status, 0, "the program runs to its end")
found = re.search(r"seen (.*\]\)\]) (\[\w+\]) (\[.*\])", out)
is_(found and found[1], "[('graph', [%s]), ('plain', [False])]" % (not new), "the hook is in while a graph runs, and out in plain Python")
is_(found and found[2], "[False]", "also when the calls of all threads have ended")
bare = python(program, limit=300).stdout
is_(found and found[3], bare[bare.rindex("["):].strip(), "the gradient is that without cdbg")
done()
