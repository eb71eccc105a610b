#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A pane marks its first or last row when rows that belong with the selected row of another pane are out of sight above
# or below, also those that are not loaded.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
NODES = 150
PROGRAM = script("import torch\n\n\n@torch.compile(backend='eager')\ndef f(x):\n" +
                 "".join("    x = x + %d\n" % i for i in range(NODES)) + "    return x\n\n\nf(torch.ones(4))\nf(torch.ones(4))\n", "edges.py")

for rows, cols in ((24, 80), (40, 120), (60, 200)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"], limit=180) as s:
        s.line("break f")
        s.stopped("continue", "breakpoint")
        s.line("focus graph").keys("g")
        edge = lambda: (s.pane("source")[1][2:3], s.pane("source")[-1][2:3])
        is_(edge()[1] == "↓", False, size + "a linked line in sight needs no mark at the edge")
        s.keys("G").keys("k").keys("k")
        is_(edge()[1], "↓", size + "a linked line far below, which is not loaded, is marked in the last row")
        s.keys("\x1b").line("focus source").keys("G")
        s.keys("\x1b").line("focus graph").keys("g")
        is_(edge()[0], "↑", size + "one above is marked in the first row")
        s.keys("\r")
        s.keys("\x1b")
        unlike("".join(edge()), "[↑↓]", size + "without a selected row there is no mark")
done()
