#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A resume function is named as a part of the user's function wherever a person reads it: in the card, the message, the
# status, titles, info why, bt, lists.  The card of a recompile has the remedy in sight on a small screen.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
PROGRAM = script('''
    import torch


    class Norm:
        def __init__(self):
            self.count = 0

        def center(self, t):
            m = t.mean()
            print("mean")
            print("again")
            return t - m

        def run(self, t):
            t = self.center(t)
            self.count += 1
            return t * self.count


    norm = Norm()
    f = torch.compile(norm.run, backend="eager", dynamic=False)
    f(torch.ones(4))
    f(torch.ones(5))
''', "resumed.py")


def at(text):
    return next(i for i, line in enumerate(open(PROGRAM), 1) if text in line)


def flat(s):
    return re.sub(r"\s+", " ", s.text)


MEAN, AGAIN, CALL = at('print("mean")'), at('print("again")'), at("self.center(t)")
NAME = r"Norm\.center \(resumed at line %d\)" % MEAN
LATER = r"Norm\.center \(resumed at line %d\)" % AGAIN
for rows, cols in ((24, 80), (40, 120)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"], limit=180) as s:
        s.line("catch graph-break")
        s.stopped("continue", "graph").keys("\x1b")
        s.stopped("continue", "graph").keys("\x1b")
        s.stopped("continue", "graph")
        like(flat(s), "graph break in " + NAME, size + "a graph break in a resume function: the message")
        like(s.row("^ stopped"), r"· Norm\.center resumed\.py:%d · entry \d+/0 · main thread" % AGAIN, size + "the status has the function, line, entry and thread")
        unlike(s.text, "torch_dynamo_resume", size + "Dynamo's name is not on the screen")
        s.keys("\x1b").line("bt")
        like(flat(s), r"#0 %s at \S*resumed\.py" % NAME, size + "bt")
        s.keys("\x1b").line("delete 1").line("catch recompile")
        s.stopped("continue", "recompile")
        card = flat(s)
        like(card, r"Norm\.run compiles again as 0/1 .*changed: t is f32\[5\] cpu, expected f32\[4\] cpu "
             r"remedy: torch\._dynamo\.mark_dynamic\(tensor, dim\) before the first call, or .*entry 0/0, guard \d+: TENSOR_MATCH of t made by: resumed\.py:\d+", size + "a tensor's guard is named so short that the remedy is in sight")
        s.keys("\x1ba")
        like(flat(s), r"in full: check_tensor\(L\['t'\], .*size=\[4\], stride=\[1\]\)", size + "all of it is in the whole card")
        s.keys("\x1b\x1b").line("info why")
        like(flat(s), r"check_tensor\(t, .*size=\[4\], stride=\[1\]\)", size + "and in info why")
        s.keys("\x1b\x1b").stopped("continue", "recompile").keys("\x1b")
        s.stopped("continue", "recompile")
        like(flat(s), LATER + r" compiles again as \d/1", size + "a resume function that compiles again: card")
        like(flat(s), "stopped: " + LATER + " compiles again as", size + "message")
        unlike(s.text, "torch_dynamo_resume", size + "Dynamo's name is not on the screen then, either")
        s.keys("\x1b").line("info why")
        like(flat(s), r"entry \d/0 of %s: \d guards? fails?" % LATER, size + "info why")
        s.keys("\x1b")

with Cdbg(PROGRAM) as d:
    d.do("catch graph-break")
    d.go(), d.go()
    d.go()
    stop = d.frame
    is_((stop["function"], stop["qualname"]), ("torch_dynamo_resume_in_center_at_%d" % MEAN, "Norm.center (resumed at line %d)" % MEAN),
        "machines get Dynamo's name, and that for people beside it")
    like(next(r["qualname"] for r in d.rows("info breaks") if r["break"] == 3), NAME, "so in info breaks")
    d.do("delete 1")
    d.do("catch recompile")
    d.go()
    is_([r["qualname"] for r in d.rows("info entries")][:4], ["Norm.run", "Norm.center"] + ["Norm.center (resumed at line %d)" % n for n in (MEAN, AGAIN)], "and in info entries")
    seen = set()
    while not d.exited:
        seen.update(r["remedy"] for r in d.rows("info why") if "count" in (r.get("source") or ""))
        d.go()
    like("\n".join(seen), r"dynamic=True\), or pass torch.tensor|depends on the value of this number", "the remedy for an attribute of any object")

ENDED = script("""
    import torch


    @torch.compile(backend="eager")
    def f(x, table):
        print("now")
        return x + table["k"]


    f(torch.ones(3), {"k": 1})
    f(torch.ones(3), {})
""", "ended.py")
with Cdbg(ENDED) as d:
    d.go()
    for line in "info stack", "jump 8":
        like(d.error(line), r"'f \(resumed at line \d+\)'", "'%s' where an exception ended it" % line)
done()
