# SPDX-License-Identifier: BSD-3-Clause
"""What watching Dynamo costs a compile, beside what torch's own logs cost it, and how long many guards take to list."""
import glob
import json
import subprocess
import time

from cdbgtest import Cdbg, argv, environment, script

COMPILES = """
import time
import torch

def make(i):
    names = {}
    text = "def f%d(x, y):\\n    a = x * 2 + y\\n    for k in range(12):\\n        a = a.sin() + k\\n    return a.sum()\\n" % i
    exec(compile(text, "made_%d.py" % i, "exec"), names)
    return names["f%d" % i]

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

GUARDS = """
import torch

@torch.compile(backend="eager")
def f(x, numbers):
    n = 0
    for k in numbers:
        n += k
    return x + n

def stop(x, numbers):
    return f(x, numbers)

x, numbers = torch.ones(2), [k % 7 for k in range(1000)]
f(x, numbers)
numbers[999] = 99
f(x, numbers)
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


def guards(b):
    with Cdbg(GUARDS) as d:
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
    with Cdbg(GUARDS.replace("range(1000)", "range(10000)"), limit=600) as d:
        d.do("tbreak %d" % d.line_of("numbers[999] = 99"))
        d.go()
        best = 1e9
        for _ in range(10):
            began = on_cpu(d.proc.pid)
            d.send("info guards 0/0")
            raw = d.lines.get(timeout=600)
            best = min(best, on_cpu(d.proc.pid) - began)
        assert len(json.loads(raw)["rows"]) > 10000
        b.row("info guards of 10,000 without values, through JSON, CPU", best / 1e6, "ms", 50)


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
        guards(b)
        many_guards(b)
    if b.wanted("explain"):
        explains(b)
