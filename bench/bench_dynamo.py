# SPDX-License-Identifier: BSD-3-Clause
"""What watching Dynamo costs a compile, beside what torch's own logs cost it, and how long many guards take to list."""
import glob
import json
import subprocess
import time

from cdbgtest import Cdbg, argv, environment, script

# A function of its own for each i.
MAKE = '''
def make(i):
    names = {}
    text = "def f%d(x, y):\\n    a = x * 2 + y\\n    for k in range(12):\\n        a = a.sin() + k\\n    return a.sum()\\n" % i
    exec(compile(text, "made_%d.py" % i, "exec"), names)
    return names["f%d" % i]
'''

COMPILES = MAKE + """
import time
import torch

x, y = torch.ones(4), torch.ones(4)
for i in range(3):
    torch.compile(make(1000 + i), backend="eager")(x, y)
spent = []
for i in range(20):
    f = torch.compile(make(i), backend="eager")
    began = time.process_time()
    f(x, y)
    spent.append(time.process_time() - began)
spent.sort()
print("%.6f" % (sum(spent[2:12]) / 10))
"""

# Compiles with Dynamo watched and not, in turn, in one process: between two processes memory alone makes a per cent or two.
IN_TURN = MAKE + """
import gc
import random
import sys
import time
import torch
import torch._dynamo

def owners():
    for name, m in list(sys.modules.items()):
        if name.startswith("torch") and m is not None:
            yield m
            yield from [v for v in list(vars(m).values()) if isinstance(v, type) and v.__module__ == name]

def attributes():
    for owner in owners():
        for name, v in list(vars(owner).items()):
            if callable(v):
                yield owner, name, v

before = {(id(owner), name): v for owner, name, v in attributes()}
import cdbg
try:
    cdbg.explain(torch.compile(lambda x: x, backend="eager"))       # from here on compiles are recorded
except RuntimeError:
    pass
watched = [(owner, name, v, before[id(owner), name]) for owner, name, v in attributes() if type(v).__name__ == "watched"]

def watch(on):
    for owner, name, ours, theirs in watched:
        setattr(owner, name, ours if on else theirs)

x, y = torch.ones(4), torch.ones(4)
spent, random = [], random.Random(1)
for i in range(TURNS):
    took = {}
    for on in random.sample([True, False], 2):
        watch(on)
        f = torch.compile(make(2 * i + on), backend="eager")
        began = time.thread_time()
        f(x, y)
        took[on] = time.thread_time() - began
    spent.append(took[True] / took[False])
    if i % 20 == 19:
        watch(True)
        torch._dynamo.reset()
        gc.collect()
spent.sort()
assert len(watched) > 10
print("%.4f" % spent[TURNS // 2])
"""

# A function with so many guards, called with one value changed; bench_edit.py measures it too.
GUARDS = """
import torch
from torch._dynamo.utils import counters

@torch.compile(backend="eager")
def f(x, numbers):
    n = 0
    for k in numbers:
        n += k
    return x + n

def stop(compiles):
    return x

x, numbers = torch.ones(2), [k %% 7 for k in range(%d)]
f(x, numbers)
stop(counters["frames"]["total"])
numbers[7] += 100
f(x, numbers)
stop(counters["frames"]["total"])
"""

EXPLAIN = """
import time
import cdbg
import torch

def f(x, y):
    a = x * 2 + y
    for k in range(50):
        a = a.sin() + k
    if a.sum() > 0:
        return a + 1
    return a - 1

x, y = torch.ones(4), torch.ones(4)
compiled = torch.compile(f, backend="eager")
try:
    cdbg.explain(compiled)      # from here on compiles are recorded
except RuntimeError:
    pass
compiled(x, y)

def least(call):
    spent = []
    for i in range(10):
        began = time.process_time()
        call()
        spent.append(time.process_time() - began)
    return min(spent)

ours = least(lambda: cdbg.explain(compiled))
print("\\n%.6f %.6f" % (ours, least(lambda: torch._dynamo.explain(f)(x, y))))
"""


def compiles(b):
    program = script(COMPILES)
    plain, ours = argv(program), argv("-m", "cdbg", "--plain", "-q", "-batch", "-ex", "continue", program)
    kinds = {"plain": (plain, {}), "cdbg": (ours, {}),
             "logs": (plain, {"TORCH_LOGS": "recompiles,guards,graph_breaks"})}
    spent = {k: [] for k in kinds}
    for _ in range(max(3, b.batches // 10)):
        for key, (words, extra) in kinds.items():
            done = subprocess.run(words, env=environment(dict(extra, PYTHONWARNINGS="ignore")), stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True)
            spent[key].append(float(next(s for s in done.stdout.splitlines() if s.startswith("0."))))
    least = {k: min(v) for k, v in spent.items()}
    b.row("compile time, watched and nothing caught, over plain (peer: TORCH_LOGS)", least["cdbg"] / least["plain"],
          "ratio", 1.03, least["logs"] / least["plain"], digits=3)


def compiles_in_turn(b):
    program = script(IN_TURN.replace("TURNS", str(max(60, 4 * b.batches))))
    done = subprocess.run(argv(program), env=environment({"PYTHONWARNINGS": "ignore"}), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, check=True, text=True)
    b.row("compile time, watched over not, in one process, median of pairs", float(done.stdout.split()[-1]), "ratio", 1.03, digits=3)


def guards(b):
    with Cdbg(GUARDS % 1000) as d:
        d.do("catch recompile")
        d.go()
        best = 1
        for _ in range(10):
            began = time.perf_counter()
            rows = d.rows("info guards")
            best = min(best, time.perf_counter() - began)
        assert sum(r["ok"] is False for r in rows) == 1
        b.row("info guards of 1,000 with live values, through JSON", best * 1000, "ms", 50)


def on_cpu(pid):
    """Nanoseconds that the process's threads ran."""
    return sum(int(open(f).read().split()[0]) for f in glob.glob("/proc/%d/task/*/schedstat" % pid))


def many_guards(b):
    """In a frame that none of them is about, so without values; the process's own time, not that of reading JSON here."""
    with Cdbg(GUARDS % 10000, limit=600) as d:
        d.do("tbreak stop")
        d.go()
        spent = []
        for _ in range(10):
            began = on_cpu(d.proc.pid)
            d.send("info guards 0/0")
            raw = d.lines.get(timeout=600)
            spent.append((on_cpu(d.proc.pid) - began) / 1e6)
        assert len(json.loads(raw)["rows"]) > 10000
        b.row("info guards of 10,000 without values, through JSON, CPU", min(spent), "ms", 50)
        b.row("the first time, when they are read from the record", spent[0], "ms", 20)


def explains(b):
    """Of a function that is compiled: torch's compiles it again, ours tells what was recorded."""
    done = subprocess.run(argv(script(EXPLAIN)), env=environment({"PYTHONWARNINGS": "ignore"}), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True)
    ours, theirs = done.stdout.split()[-2:]
    b.row("explain of a function with a break, CPU (peer: torch._dynamo.explain)", float(ours) * 1000, "ms", None,
          float(theirs) * 1000, digits=3)


def rows(b):
    if b.wanted("compile time", "guards"):
        compiles(b)
        compiles_in_turn(b)
        guards(b)
        many_guards(b)
    if b.wanted("explain"):
        explains(b)
