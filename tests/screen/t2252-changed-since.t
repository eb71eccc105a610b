#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A guard of the entry that the selected frame runs held at the call. Where the frame has changed its value since, info
# why and the panes why and guards say that it changed, not that it fails; of other entries a guard fails.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
PROGRAM = script('''
    import torch

    COUNT = 1


    class Box:
        k = 2


    @torch.compile(backend="eager", dynamic=False)
    def f(x, box, table, items, n):
        global COUNT
        y = x * box.k * table["n"] * items[0] * COUNT * n
        box.k = 7
        table["n"] = 8
        items[0] = 9
        COUNT = 10
        print("broken")
        return y + 1


    def call(n):
        global COUNT
        COUNT = 1
        f(torch.ones(4), Box(), {"n": 3}, [4], n)


    call(2)
    call(3)
    call(2)
''', "since.py")

with Cdbg(PROGRAM) as d:
    d.do("catch recompile f")
    d.go()
    d.do("delete")
    d.do("break f@break")
    d.go()
    rows = d.rows("info why")
    by = {(r["entry"], r["source"]): r for r in rows}
    really = [r for r in rows if r["entry"] == "0/0" and r["changed"] is False]
    ok(any("L['n']" in (r["text"] or "") and r["live"] == "3" for r in really), "a guard of another entry fails", str(rows))
    mine = [r for r in rows if r["entry"] == "0/1"]
    ok(len(mine) >= 4 and all(r["changed"] is True for r in mine), "those of the entry that runs have changed", str(rows))
    ok(all(r["remedy"] is None for r in mine) and not any(r["nearest"] for r in mine), "without a remedy, and it is not the nearest one")
    for text, live in ((r"table", "8"), (r"items", "9"), (r"COUNT", "10")):
        ok(any(re.search(text, r["text"]) and r["live"] == live for r in mine), "%s with its value now" % text, str(mine))

for rows, cols in ((24, 80), (40, 120), (60, 200)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"], limit=120) as s:
        s.line("catch recompile f")
        s.stopped("continue", "recompile|compiles again")
        s.keys("\x1b").line("delete 1").line("break f@break")
        s.stopped("continue", "breakpoint")
        s.line("info why")
        first = s.text
        s.keys("\x1b[6~" * 2)
        flat = re.sub(r"\s+", " ", first + s.text)
        like(flat, r"entry 0/1 of f: it runs; \d values changed since the call", size + "info why says of the entry that runs that values changed")
        like(flat, r"expected 3 changed since the call: 8", size + "and which")
        like(flat, r"entry 0/0 of f: \d+ guards? fails? \(nearest\)", size + "the other one fails")
        s.keys("\x1b")
        s.line("focus why").keys("z").keys("G")
        like(re.sub(r"\s+", " ", s.text), r"changed( since| …|\S*…)", size + "the pane why")
        s.keys("z\x1b").line("focus guards").keys("z").keys("G")
        like(re.sub(r"\s+", " ", s.text), r"changed( since| …|\S*…)", size + "the pane guards")
done()
