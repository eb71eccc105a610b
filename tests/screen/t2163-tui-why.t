#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The pane why and the graph pane at a graph break, a recompile and an exception.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
PROGRAM = script('''
    import torch


    def helper(y):
        if y.mean() > 0:
            return y + 1
        return y - 1


    @torch.compile(backend="eager")
    def f(x, n):
        y = x * n
        z = helper(y)
        return z.sum()


    f(torch.ones(4), 2)
    f(torch.ones(4), 3)
    try:
        {}["missing"]
    except KeyError:
        pass
''', "why.py")


with Cdbg(PROGRAM) as d:
    d.do("catch graph-break f")
    d.go()
    rows = d.rows("info why")
    is_(rows[0]["text"], "graph break at why.py:5: if y.mean() > 0: (inlined from line 13)", "info why begins with the line of the break")
    ok(any("Hint: Use `torch.cond`" in r["text"] for r in rows) and not any(r["entry"] for r in rows), "and has torch's hints")
    nodes = d.rows("info graph")
    is_([r["node"] for r in nodes], ["l_x_", "y", "mean", "gt"], "info graph has the graph so far")
    is_([r["line"] for r in nodes], [12, 12, 5, 5], "with lines")
    is_({r["entry"] for r in nodes}, {None}, "of no entry yet")
    d.do("delete")
    d.do("catch recompile f")
    d.go()
    like(d.rows("info why")[0]["text"], r"L\['n'\] == 2", "at a recompile info why has the guards")
    is_(d.rows("info graph")[0]["entry"], "0/0", "and the graph is the entry's")

def whole(s):
    """The text of the pane why, which wraps: page by page, in one line."""
    s.keys("g")
    seen = []
    for _ in range(40):
        seen += [line[3:].strip() for line in s.pane("why")[1:] if line[3:].strip() not in seen]
        before = s.text
        s.keys("\x1b[6~")
        if s.text == before:
            break
    return " ".join(seen)


for rows, cols in ((24, 80), (40, 120), (60, 200)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"], limit=120) as s:
        s.line("catch graph-break f").line("catch recompile f")
        s.stopped("continue", "graph")
        s.keys("\x1b")
        graph = "\n".join(s.pane("graph"))
        like(graph, r"so far.* 4 nodes", size + "the graph pane shows the graph so far")
        like(graph, r"gt +mean > 0 +bool\[\] cpu +5", size + "to the node that broke it")
        s.line("layout asm").line("focus why")
        why = "\n".join(s.pane("why"))
        like(why, r"▶ graph break at why\.py:5", size + "the pane why says where")
        like(why, r"Data-dependent branching", size + "why")
        like(whole(s), r"Explanation: Detected data-dependent branching \(e\.g\. `if my_tensor\.sum\(\) > 0:`\)\. Dynamo does not support tracing dynamic control flow",
             size + "each line can be read in full")
        s.keys("\x1b")
        s.stopped("continue", "compiles again|recompile")
        s.keys("\x1b").line("focus why")
        flat = whole(s)
        like(flat, r"0/0, guard \d+: L\['n'\]", size + "at a recompile it has the guard that failed")
        like(flat, r"mark_dynamic|dynamic=True|torch\.compile\(dynamic", size + "and the remedy")
        s.keys("\x1b").line("delete 1").line("delete 2").line("catch exception KeyError")
        s.stopped("continue", "KeyError|exception")
        s.keys("\x1b").line("focus why")
        why = "\n".join(s.pane("why"))
        like(why, r"KeyError", size + "at an exception its type and message")
        like(whole(s), r"at \S*why\.py:20 in <module>: \{\}\[.missing.\]", size + "and its line")
done()
