# SPDX-License-Identifier: BSD-3-Clause
"""What the full screen costs, on a terminal that is a pty which is drained: CPU time of its thread and of the stopped
one, from the kernel's own count; bytes sent; and a program that writes much, against a pipe that is drained."""
import os
import re
import shlex
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "lib"))
from cdbgtest import argv, build, environment, has, interpreter, script, top  # noqa: E402

ROUNDS = 60
# 5,000 lines and more instructions; 100,000 lines of output; many.c has 10,000 guards and 5,000 nodes.
LARGE = '''
import sys
sys.setrecursionlimit(5000)
for i in range(100000):
    print("line", i, "of what the program writes")
source = ["def large():"] + ["    v%d = %d" % (i, i * 7) for i in range(4999)]
path = __file__ + ".large.py"
with open(path, "w") as f:
    f.write("\\n".join(source) + "\\n")
space = {}
exec(compile("\\n".join(source) + "\\n", path, "exec"), space)
def deep(n):
    if n:
        return deep(n - 1)
    space["large"]()
deep(900)
'''
# An entry with a guard for each number, and resume functions to step through.
GUARDED = """
import torch
def guarded(x, numbers):
    for n in numbers:
        x = x + n
    torch._dynamo.graph_break()
    return x
compiled = torch.compile(guarded, backend="eager", dynamic=False)
numbers = list(range(1200))
compiled(torch.ones(2), numbers)
compiled(torch.ones(2), numbers)
"""
WRITES = '''
import os, time
line = "x" * 63 + "\\n"
out = open(1, "w", buffering=1, closefd=False)
began = time.perf_counter()
for i in range(int(os.environ["BENCH_LINES"])):
    out.write(line)
spent = time.perf_counter() - began
with open(os.environ["BENCH_SPENT"], "w") as f:
    f.write("%r" % spent)
'''


def cpu(pid):
    """Nanoseconds that the threads of a process have run."""
    spent = 0
    for t in os.listdir("/proc/%d/task" % pid):
        with open("/proc/%d/task/%s/schedstat" % (pid, t)) as f:
            spent += int(f.read().split()[0])
    return spent


def measure(s, keys):
    """Median CPU time in ms, and bytes, of what these keys make."""
    times, sizes = [], []
    for _ in range(ROUNDS):
        before, size = cpu(s.pid), len(s.raw)
        s.keys(keys)
        times.append((cpu(s.pid) - before) / 1e6)
        sizes.append(len(s.raw) - size)
    return sorted(times)[ROUNDS // 2], sorted(sizes)[ROUNDS // 2]


def written(program, lines, spent, screen):
    env = {"BENCH_LINES": str(lines), "BENCH_SPENT": spent}
    if screen:
        with screen(program, options=["-q"], env=env, limit=300) as s:
            s.keys("continue\r", wait=False)
            s.until(lambda: b"ended with status" in s.raw, "the end")
            with open("/proc/%d/status" % s.pid) as f:
                rss = int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1))
    else:
        p = subprocess.Popen(argv(program), env=environment(env), stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        while os.read(p.stdout.fileno(), 1 << 20):
            pass
        p.wait()
        rss = 0
    with open(spent) as f:
        return float(f.read()), rss


def plugin():
    """many.c, built as anybody builds a plugin."""
    with open(os.path.join(build, "Makefile")) as f:
        cc = re.search(r"^CC = (.*)$", f.read(), re.M).group(1)
    include = subprocess.run([interpreter(), "-c", "import sysconfig; print(sysconfig.get_path('include'))"],
                             stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    made = os.path.join(os.path.dirname(script("")), "many.so")
    subprocess.run(shlex.split(cc) + ["-std=gnu11", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-I" + top + "/src",
                                      "-I" + include, os.path.join(os.path.dirname(os.path.abspath(__file__)), "many.c"),
                                      "-o", made], check=True)
    return made


def answered(s, keys):
    """Median time in ms from a key to the mark after the whole screen."""
    times = []
    for _ in range(ROUNDS):
        began = time.monotonic()
        s.keys(keys)
        times.append((time.monotonic() - began) * 1000)
    return sorted(times)[ROUNDS // 2]


def held(s):
    """A key held down, 30 times a second for three seconds: the longest answer in ms, and how often everything was redrawn."""
    longest, before = 0, len(s.raw)
    for _ in range(90):
        began = time.monotonic()
        s.keys("i")
        spent = time.monotonic() - began
        longest = max(longest, spent)
        s.pump(max(0, 1 / 30 - spent))
    return longest * 1000, len(re.findall(rb"\x1b\[2J|\x1b\[H\x1b\[J|\x1b\[\?1049h", s.raw[before:]))


def guarded(b, screen):
    with screen(script(GUARDED), rows=50, cols=200, options=["-q", "-ex", "tbreak guarded", "-ex", "continue"], limit=120) as s:
        s.until(lambda: b"stopped: breakpoint" in s.raw, "the breakpoint").ready()
        s.line("stepi 3")
        s.line("focus guards")
        step, _ = measure(s, "i")
        b.row("screen step in generated code, its entry with 1,200 guards shown", step, "ms", 1, digits=2)


def rows(b):
    if not b.wanted("screen, 200x60", "screen redraw", "screen step", "screen key", "program writing"):
        return
    from screen import Screen

    class Quick(Screen):
        emulate = False

    program = script(LARGE)
    with Quick(program, rows=60, cols=200, options=["-q", "-ex", "break large", "-ex", "continue"], limit=120,
               env={"CDBG_PLUGIN_PATH": plugin()}) as s:
        s.until(lambda: b"stopped: breakpoint" in s.raw, "the breakpoint").ready()
        s.keys("tui new-layout six {-horizontal {source 3 stack 1 many-nodes 2} 1 {asm 3 many-guards 2} 1} 5 output 1\r")
        s.line("stepi 40")
        large = "screen, 200x60, 10,000 guards, 5,000 nodes, 5,000 source lines: "
        full, size = measure(s, "\x0c")
        b.row(large + "CPU of a redraw, both threads", full, "ms", 0.5, digits=2)
        s.keys("\x1b[Z")
        step, size = measure(s, "i")
        _, line = measure(s, "n")
        b.row(large + "bytes of a step, the larger of stepi and next", max(size, line), "bytes", 2048, digits=0)
        slowest = max(answered(s, keys) for keys in ("i", "n", "j", "\x1b[6~", "\x1b[Z"))
        b.row(large + "key to whole screen, the slowest of five", slowest, "ms", 20, digits=1)
        b.row("screen step: CPU of the screen's and the stopped thread for one stepi", step, "ms", 1, digits=2)
        s.keys("\x1b").keys("\x1b").line("focus source").keys("j")
        longest, clears = held(s)
        b.row("screen key held, 30 steps a second: the longest answer", longest, "ms", 1000 / 30, digits=1)
        b.row("screen key held: clears and full repaints", clears, "times", 0, digits=0)
        down, size = measure(s, "j")
        b.row("screen key: CPU for the next row, with what belongs with it", down, "ms", 1, digits=2)
    if has("torch"):
        guarded(b, Quick)
    program, spent = script(WRITES), script("")
    lines = 100 * 1000 * 1000 // 64
    ours, rss = written(program, lines, spent, Quick)
    pipe, _ = written(program, lines, spent, None)
    b.row("program writing 100 MB in lines under the screen, over a drained pipe", ours / pipe, "ratio", 3, digits=2)
    b.row("memory of that process then", rss / 1024, "MiB", 100, digits=0)
