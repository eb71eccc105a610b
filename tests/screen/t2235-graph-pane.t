#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The graph pane while a graph is stepped, with each backend: the current node, figures of those that have run, and the rows of other
# panes that belong to the selected node.
import os
import re
import shutil
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
PROGRAM = script('''
    import sys
    import torch


    @torch.compile(backend=sys.argv[1])
    def f(x, w):
        a = torch.sin(x)
        b = a @ w
        c = b.relu()
        return c + 1


    x, w = torch.ones(4, 4), torch.ones(4, 4)
    for turn in range(2):
        f(x, w)
''', "graphs.py")
# the nodes in their order, with their lines; the figures of the first
NODES = {"eager": [("a", 7), ("b", 8), ("c", 9), ("add", 10)], "aot_eager": [("sin", 7), ("mm", 8), ("relu", 9), ("add", 10)],
         "inductor": [("buf0", 7), ("buf1", 8), ("buf2", 10)]}


def linked(s, pane):
    return [line for line in s.pane(pane) if "·" in line[:4]]


def name_in(row):
    """The name after the marks."""
    return re.search(r"\w+", row).group()


folder = tempfile.mkdtemp(prefix="cdbg-t2235-")
for backend, nodes in NODES.items():
    if backend == "inductor" and not shutil.which("g++"):
        skip(backend, "no g++")
        continue
    with Screen(PROGRAM, backend, rows=40, cols=120, options=["-q"], limit=400, env={"TORCHINDUCTOR_CACHE_DIR": folder}) as s:
        s.line("break f")
        s.stopped("continue", "breakpoint")
        s.stopped("stepg", "step")
        for i, (node, line) in enumerate(nodes):
            rows = s.pane("graph")
            current = [r for r in rows if "▶" in r[:4]]
            is_([name_in(r) for r in current], [node], "%s: the graph pane marks node %s" % (backend, node))
            done_rows = [r.split()[0] for r in rows if re.search(r" 4, 4 .*\d", r)]
            is_(done_rows, [n for n, _ in nodes[:i]], "... those that have run show their figures")
            like("\n".join(s.pane("source")), r"▶ *%d " % line, "... the source pane is at line %d" % line)
            s.stopped("step", "step|return")
        like("\n".join(s.pane("graph")), r" %s .*0 +(0 +)?0\.8415 +0\.8415" % nodes[0][0], "... smallest, largest, NaN: at the end of the first, too")
        s.line("focus graph").keys("g")
        like(s.at, nodes[0][0], "the first node is selected")
        at = linked(s, "source")
        is_([re.search(r"\d+", r).group() for r in at], ["7"], "... its line is marked in the source pane")
        if backend != "inductor":
            is_(linked(s, "asm"), [], "... no instructions, as those that the asm pane shows are of later nodes")
        s.keys("\x1b").line("focus graph").keys("G").keys("k" * (backend != "inductor"))
        ok(any(re.search(r"STORE_FAST +%s " % nodes[-1][0], r) or "LOAD_FAST" in r for r in linked(s, "asm")), "the instructions of the last node are marked there",
           "\n".join(s.pane("asm")))
        s.keys("gj")
        like(s.at, nodes[1][0], "the second node is selected")
        s.keys("\x1b").line("focus source").keys("g").keys("/b = a\r")
        like(s.at, r"b = a @ w", "a line is selected in the source pane")
        s.until(lambda: linked(s, "graph"), "the marks of the line")
        is_([name_in(r) for r in linked(s, "graph")], [nodes[1][0]], "... and its node is marked in the graph pane",)
        ok(linked(s, "guards"), "... and the guards of its values", "\n".join(s.pane("guards")))
with Screen(PROGRAM, "eager", rows=24, cols=80, options=["-q"]) as s:
    s.line("break f")
    s.stopped("continue", "breakpoint")
    s.stopped("stepg", "step")
    s.stopped("step", "step")
    head, row = s.pane("graph")[1:3]
    is_(head.split()[:5], ["node", "call", "line", "shape", "nan"], "80 columns: the graph pane names the columns that it shows")
    is_([row[head.index(name):].split()[0] for name in ("line", "max")], ["7", "0.8415"], "... each above its cells")
shutil.rmtree(folder, ignore_errors=True)
done()
