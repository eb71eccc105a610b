#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What --report costs and writes, beside depyf and beside TORCH_TRACE with tlparse: the table in doc/compare-report.md.

    make -C build all && CDBG_BUILD=build PYTHON=python bench/report_compare.py [-n RUNS] [PROGRAM...]

PYTHON needs torch and depyf, and tlparse must be on PATH; what is missing is left out. Without a PROGRAM the twelve below
are run; those in LARGE run if they are named. Every run has caches of its own. CPU seconds count the process and its children, from the end of 'import torch' on:
the compiles, the program, and the writing of files until the process has ended; for TORCH_TRACE the run of tlparse, too."""
import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.abspath(os.environ.get("CDBG_BUILD", os.path.join(TOP, "build")))
PYTHON = os.environ.get("PYTHON", sys.executable)

# The first lines of each program; the file MARK gets the seconds that imports took.  A full garbage collection after
# 'import torch' takes 0.1 to 0.2 s.  When the next one is due depends on what was imported, to a few hundred objects:
# without the one here it falls into the program by one way, and after its end by another.
BEGIN = """\
import gc, os, time, torch
import torch._dynamo, torch._inductor.config
torch.manual_seed(0)
gc.collect()
_t = os.times()
open(os.environ["MARK"], "w").write(str(_t.user + _t.system))

"""

PROGRAMS = {
    "toy": """
        @torch.compile(backend="eager")
        def toy_example(a, b):
            x = a / (torch.abs(a) + 1)
            if b.sum() < 0:
                b = b * -1
            return x * b

        ones = torch.ones(10)
        for k in range(3):
            print(round(toy_example(torch.randn(10), ones if k % 2 == 0 else -ones).abs().sum().item(), 4))
        """,
    "recompiles": """
        @torch.compile(backend="eager", dynamic=False)
        def f(x, n):
            return x * n + x.shape[0]

        for k in range(5):
            print(f(torch.ones(k + 2), k).sum().item())
        """,
    "breaks": """
        @torch.compile(backend="eager")
        def f(x):
            for i in range(4):
                x = x + i
                print("step", i)
            return x

        print(f(torch.ones(3)))
        """,
    "side effects": """
        seen, counts = [], {"calls": 0}

        @torch.compile(backend="eager")
        def f(x):
            counts["calls"] += 1
            y = x.sin()
            seen.append(y)
            return y + counts["calls"]

        for k in range(3):
            print(f(torch.ones(2)), len(seen), counts)
        """,
    "closures": """
        def make(scale):
            total = 0

            def f(x, *more, bias=1, **named):
                nonlocal total
                total += 1
                parts = [m * scale for m in more]
                return sum(parts, x) + bias + named.get("extra", 0)

            return f, lambda: total

        f, total = make(3)
        g = torch.compile(f, backend="eager")
        print(g(torch.ones(2), torch.ones(2), torch.ones(2), bias=2, extra=5), total())
        print(g(torch.ones(2), torch.ones(2), bias=2), total())
        """,
    "branches": """
        class Model(torch.nn.Module):
            def __init__(self, deep):
                super().__init__()
                self.layers = torch.nn.ModuleList(torch.nn.Linear(8, 8) for _ in range(deep))
                self.norm = torch.nn.LayerNorm(8)

            def forward(self, x, mode="train", mask=None):
                for layer in self.layers:
                    x = torch.relu(layer(x))
                    if mask is not None:
                        x = x * mask
                return self.norm(x) if mode == "train" else x

        m = torch.compile(Model(6), backend="eager")
        for mode in "train", "eval":
            for mask in None, torch.ones(8):
                print(round(m(torch.ones(4, 8), mode=mode, mask=mask).abs().sum().item(), 3))
        """,
    "context": """
        @torch.compile(backend="eager")
        def f(x):
            with torch.no_grad():
                y = x * 2
                print("inside", torch.is_grad_enabled())
                y = y + 1
            try:
                z = y.cos()
                torch._dynamo.graph_break()
                z = z + 1
            finally:
                z = z * 1
            return z

        print(f(torch.ones(3, requires_grad=True)).requires_grad)
        """,
    "training": """
        net = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.GELU(), torch.nn.Linear(16, 2))
        opt = torch.optim.SGD(net.parameters(), 0.1)

        @torch.compile(backend="aot_eager")
        def step(x, y):
            return torch.nn.functional.mse_loss(net(x), y)

        for k in range(3):
            loss = step(torch.ones(8, 4), torch.zeros(8, 2))
            loss.backward()
            opt.step()
            opt.zero_grad()
            print(round(loss.item(), 5))
        """,
    "attention": """
        class Block(torch.nn.Module):
            def __init__(self, d=32, heads=4):
                super().__init__()
                self.heads, self.q, self.o = heads, torch.nn.Linear(d, 3 * d), torch.nn.Linear(d, d)
                self.n1, self.n2 = torch.nn.LayerNorm(d), torch.nn.LayerNorm(d)
                self.mlp = torch.nn.Sequential(torch.nn.Linear(d, 4 * d), torch.nn.GELU(), torch.nn.Linear(4 * d, d))

            def forward(self, x):
                b, n, d = x.shape
                q, k, v = self.q(self.n1(x)).reshape(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
                a = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
                x = x + self.o(a.transpose(1, 2).reshape(b, n, d))
                return x + self.mlp(self.n2(x))

        net = torch.compile(torch.nn.Sequential(*(Block() for _ in range(4))), backend="aot_eager")
        for n in 8, 12:
            print(round(net(torch.ones(2, n, 32)).abs().sum().item(), 2))
        """,
    "inductor": """
        @torch.compile
        def f(x, w):
            return torch.softmax(x @ w, -1).sum(0) + x.mean()

        print(round(f(torch.ones(8, 8), torch.ones(8, 8)).sum().item(), 4))
        """,
    "inductor training": """
        net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
        fast = torch.compile(net)
        loss = fast(torch.ones(4, 8)).square().mean()
        loss.backward()
        print(round(loss.item(), 5), round(net[0].weight.grad.abs().sum().item(), 5))
        """,
    "many": """
        for k in range(30):
            names = {"torch": torch}
            exec(compile("def f%d(x, y):\\n    a = x * %d + y\\n    for i in range(8):\\n        a = a.sin() + i\\n    return a.sum()\\n"
                         % (k, k), "made_%d.py" % k, "exec"), names)
            print(round(torch.compile(names["f%d" % k], backend="eager")(torch.ones(3), torch.ones(3)).item(), 3))
        """,
}

# Large ones, run if they are named.
LARGE = {
    "100 entries": """
        torch._dynamo.config.cache_size_limit = torch._dynamo.config.accumulated_cache_size_limit = 200

        @torch.compile(backend="eager", dynamic=False)
        def f(x, n):
            for i in range(8):
                x = x.sin() + i
            return x * n

        for k in range(100):
            print(round(f(torch.ones(3), k).sum().item(), 3))
        """,
    "1,000 functions": """
        for k in range(1000):
            names = {"torch": torch}
            exec(compile("def f%d(x, y):\\n    a = x * %d + y\\n    for i in range(8):\\n        a = a.sin() + i\\n    return a.sum()\\n"
                         % (k, k), "made_%d.py" % k, "exec"), names)
            print(round(torch.compile(names["f%d" % k], backend="eager")(torch.ones(3), torch.ones(3)).item(), 3))
        """,
    "2,000 nodes, inductor": """
        @torch.compile
        def f(x):
            for i in range(1000):
                x = x.sin() + 0.25
            return x

        print(round(f(torch.ones(64)).sum().item(), 3))
        """,
    "5,000 nodes, aot_eager": """
        @torch.compile(backend="aot_eager")
        def f(x):
            for i in range(2500):
                x = x.sin() + 0.25
            return x

        print(round(f(torch.ones(8)).sum().item(), 3))
        """,
}


class Way:
    """How the program is run: options of the interpreter, environment, what runs after it."""

    def __init__(self, name, command, env=None, after=None):
        self.name, self.command, self.env, self.after = name, command, env or {}, after


DEPYF = "import runpy, sys, depyf\nwith depyf.prepare_debug(sys.argv[1]):\n    runpy.run_path(sys.argv[2], run_name='__main__')\n"


def ways():
    yield Way("alone", lambda program, out: [PYTHON, program])
    yield Way("cdbg --report", lambda program, out: [PYTHON, "-m", "cdbg", "--report", out, program],
              {"PYTHONPATH": os.path.join(BUILD, "inplace") + os.pathsep + os.environ.get("PYTHONPATH", "")})
    if not subprocess.run([PYTHON, "-c", "import depyf"], stderr=subprocess.DEVNULL).returncode:
        yield Way("depyf", lambda program, out: [PYTHON, "-c", DEPYF, out, program])
    if shutil.which("tlparse"):
        yield Way("TORCH_TRACE + tlparse", lambda program, out: [PYTHON, program], {"TORCH_TRACE": "OUT.trace"},
                  lambda out: ["tlparse", "--overwrite", "--no-browser", "-o", out, out + ".trace"])


def cpu():
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime


class Run:
    """One run: CPU and wall seconds from the end of imports on, files, bytes, the standard output."""

    def __init__(self, way, path):
        with tempfile.TemporaryDirectory(prefix="report-compare-") as tmp:
            out = os.path.join(tmp, "out")
            env = dict(os.environ, MARK=os.path.join(tmp, "mark"), TORCHINDUCTOR_CACHE_DIR=os.path.join(tmp, "cache"),
                       TORCHINDUCTOR_COMPILE_THREADS="1", PYTHONWARNINGS="ignore", PYTHONDONTWRITEBYTECODE="1")
            env.update({k: v.replace("OUT", out) for k, v in way.env.items()})
            began, used = time.time(), cpu()
            p = subprocess.run(way.command(path, out), env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.result = p.returncode, p.stdout
            self.error = p.stderr
            logs = []
            if way.after:
                logs = os.listdir(out + ".trace") if os.path.isdir(out + ".trace") else []
                if logs:
                    subprocess.run(way.after(out)[:-1] + [os.path.join(out + ".trace", sorted(logs)[-1])], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
            self.wall, self.cpu = time.time() - began, cpu() - used
            with open(env["MARK"]) as f:
                self.cpu -= float(f.read())
            names = [os.path.join(d, n) for d, _, all in os.walk(out) for n in all]
            self.files, self.bytes = len(names), sum(map(os.path.getsize, names))


def measure(name, path, all_ways, runs):
    """Runs in turn, so that what else the machine does meets every way; the median of each figure."""
    done = {w.name: [] for w in all_ways}
    for _ in range(runs):
        for w in all_ways:
            done[w.name].append(Run(w, path))
    alone = done["alone"][0].result
    rows = {}
    for way, all in done.items():
        same = all[0].result == alone
        rows[way] = (statistics.median(r.cpu for r in all), statistics.median(r.wall for r in all), all[-1].files, all[-1].bytes, same)
        if not same:
            print("%s, %s: %r instead of %r; %s" % (name, way, all[0].result, alone, all[0].error[-300:]), file=sys.stderr)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=3, help="runs of each program by each way")
    parser.add_argument("program", nargs="*", help="files, or names of programs, instead of the twelve")
    args = parser.parse_args()
    all_ways = list(ways())
    names = [w.name for w in all_ways]
    total = {n: [0, 0, 0, 0, 0] for n in names}
    print("| program | " + " | ".join("%s: CPU s, wall s, files, kB, same result" % n for n in names) + " |")
    print("|---" * (len(names) + 1) + "|", flush=True)
    with tempfile.TemporaryDirectory() as tmp:
        for name in args.program or PROGRAMS:
            text = PROGRAMS.get(name) or LARGE.get(name)
            path = os.path.join(tmp, name.replace(" ", "_").replace("/", "_") + ".py")
            with open(path, "w") as f:
                f.write(BEGIN)
                f.write(textwrap.dedent(text) if text else open(name).read())
            rows = measure(name, path, all_ways, args.n)
            print("| %s | " % name + " | ".join("%.2f, %.1f, %d, %d, %s" % (r[0], r[1], r[2], r[3] / 1000, "yes" if r[4] else "no")
                                                for r in map(rows.get, names)) + " |", flush=True)
            for n in names:
                total[n] = [a + b for a, b in zip(total[n], rows[n])]
    print("| **all** | " + " | ".join("%.2f, %.1f, %d, %d, %d" % (t[0], t[1], t[2], t[3] / 1000, t[4]) for t in map(total.get, names)) + " |")
    for n in names[1:]:
        print("%s: %.3f of the CPU time alone" % (n, total[n][0] / total["alone"][0]))


if __name__ == "__main__":
    main()
