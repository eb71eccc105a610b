#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A stop in the full screen says why: the card of a graph break and of a recompile, and the line that the source pane opens at.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
BREAK = script('''
    import torch


    def helper(y):
        if y.mean() > 0:
            return y + 1
        return y - 1


''' + "\n" * 30 + '''
    @torch.compile(backend="eager")
    def f(x, n):
        y = x * n
        z = helper(y)
        return z.sum()


    print(f(torch.ones(4), 2))
    print(f(torch.ones(4), 3))
''', "gb.py")


for rows, cols in ((24, 80), (40, 120), (60, 200)):
    size = "%dx%d: " % (cols, rows)
    with Screen(BREAK, rows=rows, cols=cols, options=["-q"], limit=180) as s:
        s.line("catch graph-break f")
        s.line("catch recompile f")
        s.stopped("continue", "graph")
        flat = re.sub(r"\s+", " ", s.text)
        like(flat, r"graph break at gb\.py:5: if y\.mean\(\) > 0: \(inlined from line 4\d\)", size + "the card says where the graph broke")
        like(flat, "Data-dependent branching", size + "why")
        like(flat, r"Explanation: Detected data-dependent branching \(e\.g\.", size + "in torch's words")
        source = "\n".join(s.pane("source"))
        like(source, r"▶ +5 +if y\.mean\(\) > 0:", size + "the source pane opens at the line that broke it")
        for _ in range(3):                  # at 80x24 a card has a third of the rows
            if "Use `torch.cond`" not in re.sub(r"\s+", " ", s.text):
                s.keys("\x1b[6~")
        like(re.sub(r"\s+", " ", s.text), r"Hint: Use `torch\.cond`", size + "the card can be paged to the hints")
        like(s.prompt, r"^\(cdbg\)$", size + "while the prompt has the keys")
        s.keys("p 1")
        unlike(s.text, "answer.*graph break at", size + "what is typed closes the card")
        like(s.prompt, r"^\(cdbg\) p 1$", size + "and is typed")
        s.keys("\x03").keys("\x1ba")
        like(s.text, "graph break at gb", size + "M-a opens it again")
        s.keys("\x1b")
        s.stopped("continue", "compiles again|recompile")
        flat = re.sub(r"\s+", " ", s.text)
        like(flat, r"f compiles again as 0/1", size + "a recompile says what compiles")
        like(flat, r"entry 0/0, guard \d+: L\['n'\] == 2", size + "the guard that failed and its entry")
        like(flat, r"changed: n is 3, expected 2 remedy: ", size + "what it expected, and what came")
        like(flat, r"made by: gb\.py:4\d: y = x \* n", size + "which line made it")
        like(flat, r"remedy: torch\.compile\(dynamic=True\)", size + "and what to do")
        s.keys("\x1b")
        unlike(s.text, "remedy: ", size + "Esc closes it")
done()
