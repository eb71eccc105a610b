#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A stop's card is below the panes and hides none of them: the line that broke the graph, where it was inlined from, the
# last node of the graph so far, the guard that failed.  An exception that came while a call was compiled names the line
# that raised it and the call.  Inlined functions are named with their classes.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
PROGRAM = script('''
    import torch


    class Helper:
        def twice(self, y):
            return y + y

        def run(self, y):
            w = y * 2
            if w.mean() > 0:
                return w + 1
            return w - 1


    class Model:
        def __init__(self):
            self.h = Helper()
            self.scale = 2.0

        def run(self, x, n):
            y = self.h.twice(x) * n
            z = self.h.run(y)
            return z.sum() * self.scale


    m = Model()
    f = torch.compile(m.run, backend="eager", dynamic=False)
    f(torch.ones(4), 2)
    f(torch.ones(4), 3)


    def backend(gm, args):
        raise RuntimeError("no such kernel")


    @torch.compile(backend=backend)
    def worse(x):
        return x + 1


    @torch.compile(backend="eager", fullgraph=True)
    def full(x):
        y = x + 1
        print("in the middle")
        return y


    for g in (worse, full):
        try:
            g(torch.ones(3))
        except Exception:
            pass
''', "cards.py")


def at(text):
    return next(i for i, line in enumerate(open(PROGRAM), 1) if text in line)


def flat(s):
    return re.sub(r"\s+", " ", s.text)


BREAK, CALL = at("w.mean() > 0"), at("self.h.run(y)")
for rows, cols in ((24, 80), (40, 120), (60, 200)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"], limit=180) as s:
        s.line("catch graph-break")
        s.stopped("continue", "graph")
        like(flat(s), r"graph break at cards\.py:%d: if w\.mean\(\) > 0: \(inlined from line %d\)" % (BREAK, CALL), size + "the card has the line and where it was inlined from")
        like(flat(s), r"Data-dependent branching Explanation: Detected .* Hint: ", size + "the reason and the first hint")
        source, graph = s.pane("source"), s.pane("graph")
        like("\n".join(source), r"▶ +%d +if w\.mean" % BREAK, size + "the source beside it shows that line")
        ok("from line %d" % CALL in source[0] or re.search(r"▹ +%d " % CALL, "\n".join(source)), size + "and the line it was inlined from", s.text)
        like("\n".join(graph), r"▶ gt +mean > 0", size + "the last node of the graph so far is in sight")
        ok(all(s.pane(name) for name in ("asm", "guards", "stack", "output")), size + "no pane is hidden", s.text)
        like(s.text, "graph break in Model.run, in Helper.run at", size + "the functions are named with their classes")
        before = len(source)
        if "M-a open it whole" in s.text:
            s.keys("\x1ba")
            like(flat(s), r"branch condition involves a tensor computed as follows", size + "M-a opens all of it")
        s.keys("\x1b\x1b")
        ok(len(s.pane("source")) > before, size + "closed, it gives the panes their rows back", s.text)
        like("\n".join(s.pane("source")), r"▶ +%d " % BREAK, size + "with the line in sight")
        like("\n".join(s.pane("graph")), r"▶ gt ", size + "and the node")

        s.line("delete 1").line("catch recompile run")
        s.stopped("continue", "recompile|compiles again")
        like(flat(s), r"Model\.run compiles again as 0/1 .*changed: n is 3, expected 2 remedy: torch.* entry 0/0, guard \d+: L\['n'\] == 2 made by: cards\.py:%d: y = self\.h\.twice\(x\) \* n"
             % at("twice(x)"), size + "a recompile has entry, guard, values, line and remedy in sight")
        like("\n".join(s.pane("guards")), r"✗ +\d+ EQUALS_MATCH", size + "the guard that failed is in sight in its pane")
        s.keys("\x1b").line("break cards.py:%d" % at("y + y"))
        like(flat(s), "Helper.twice is inlined in Model.run: line %d" % at("y + y"), size + "a breakpoint in it names both with their classes")
        s.line("delete 2").line("delete 3").line("catch exception BackendCompilerFailed").line("catch exception Unsupported")
        for word, line, text in (("BackendCompilerFailed", at("no such kernel"), r"raise RuntimeError\(.no such kernel.\)"),
                                 ("Unsupported", at("in the middle"), r"print\(.in the middle.\)")):
            s.stopped("continue", word + "|exception")
            like(flat(s), r"answer (exception )?%s:? .*at cards\.py:%d in \w+: %s while compiled by cards\.py:%d in <module>: g\(torch\.ones\(3\)\)" % (word, line, text, at("g(torch.ones(3))")),
                 size + "%s while a call is compiled: the line that raised it, and the call" % word)
            like("\n".join(s.pane("source")), r"▶ +%d " % line, size + "the source shows the former")
            s.keys("\x1b")
done()
