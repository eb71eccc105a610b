# SPDX-License-Identifier: BSD-3-Clause
"""Figures of make bench about compiled graphs: a step of a node beside pdb's step of a line, graph run beside fx.Interpreter."""
import re
import subprocess
import tempfile

from bench_dynamo import on_cpu
from cdbgtest import Cdbg, argv, environment, script

NODES, STEPS = 500, 450

STEPPED = """
import torch
def f(x):
    for i in range(%d):
        x = torch.sin(x) * 2
    return x
c = torch.compile(f, backend="eager")
with torch.no_grad():
    c(torch.randn(16))
    c(torch.randn(16))
""" % (NODES // 2)

# The same graph as its forward is printed, and a breakpoint of pdb's at its first line.
DUMPED = """
import torch
def forward(l_x_):
    import pdb; pdb.set_trace()
%s    return (x_%d,)
with torch.no_grad():
    forward(torch.randn(16))
"""

RUN = """
import time
import torch
def f(x):
    for i in range(250):
        a = torch.sin(x)
        b = a * 2
        c = torch.cos(b)
        x = c + 1
    return x
def interpreter(most=9):
    gm, x, best = torch.fx.symbolic_trace(f), torch.randn(16), 1e9
    with torch.no_grad():
        for _ in range(most):
            began = time.thread_time()
            torch.fx.Interpreter(gm).run(x)
            best = min(best, time.thread_time() - began)
    return best
c = torch.compile(f, backend="eager")
with torch.no_grad():
    c(torch.randn(16))
    c(torch.randn(16))
"""


def dumped():
    lines, value = "", "l_x_"
    for i in range(NODES // 2):
        lines += "    sin_%d = torch.sin(%s);  %s = None\n    x_%d = sin_%d * 2;  sin_%d = None\n" % (i, value, value, i, i, i)
        value = "x_%d" % i
    return DUMPED % (lines, NODES // 2 - 1)


BEGIN = "!import builtins, time; builtins._time = time\n!builtins._began = _time.perf_counter()\n"
END = " 'spent %.9f' % (_time.perf_counter() - _began)\n"


def spent(words, text):
    """The time of a program's own clock, by the lines that it reads.  It writes to a file: who reads a pipe is woken by each stop,
    and takes the CPU from the program."""
    with tempfile.TemporaryFile("w+") as out:
        subprocess.run(words, env=environment({"PYTHONWARNINGS": "ignore"}), input=text, text=True, stdout=out, stderr=subprocess.DEVNULL)
        out.seek(0)
        return float(re.search(r"spent ([\d.]+)", out.read()).group(1))


def steps(b):
    node = line = 1e9
    for _ in range(8):                          # one after the other
        node = min(node, spent(argv("-m", "cdbg", "--plain", "-q", script(STEPPED)), "tbreak f\ncontinue\ntbreak f\ncontinue\nstepg\n"
                               + BEGIN + "step\n" * STEPS + "print" + END) / STEPS)
        line = min(line, spent(argv(script(dumped())), BEGIN + "next\n" * STEPS + "p" + END) / STEPS)
    b.row("a step of a node in a graph of 500, plain (peer: pdb, a line of the dumped graph)", node * 1e6, "us", None, line * 1e6)
    b.row("pdb's over ours", line / node, "ratio", 10, least=True, digits=1)


def runs(b):
    """Time of cdbg on the CPU; what reads the JSON does not count.  The first run, which prepares the graph, is a row."""
    with Cdbg(RUN, limit=300) as d:
        d.do("tbreak f")
        d.go()
        spent = {"": [], " -t": []}
        peers = []

        def run(words):
            began = on_cpu(d.proc.pid)
            d.send("graph run" + words)
            d.lines.get(timeout=300)
            return (on_cpu(d.proc.pid) - began) / 1e9
        first = run(" -t")
        for _ in range(6):
            peers.append(float(re.search(r"[\d.e-]+", d.text("print interpreter()")).group()))
            for words in spent:
                spent[words].append(run(words))
        peer = min(peers)
        for words, limit in ((" -t", 1.3), ("", 3)):
            b.row("graph run of 1,000 nodes%s, through JSON, over fx.Interpreter, CPU" % (" without figures" if words else ""),
                  min(spent[words]) / peer, "ratio", limit, peer * 1000, digits=2)
        b.row("the first of them, which loads cdbg's part and prepares the graph", first / peer, "ratio", None, digits=2)


def rows(b):
    if b.wanted("graph"):
        steps(b)
        runs(b)
