#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A graph that is stepped: its pane shows nodes and calls, figures as far as there is room, and gets room of the panes beside it.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
PROGRAM = script('''
    import torch


    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = torch.nn.LayerNorm(16)

        def forward(self, x):
            weights = torch.softmax(self.norm(x) @ x.transpose(-2, -1), dim=-1)
            return weights @ x + torch.nn.functional.gelu(x, approximate="tanh")


    torch.manual_seed(0)
    block = torch.compile(Block(), backend="eager")
    for _ in range(3):
        block(torch.randn(2, 8, 16))
    print("end")
''', "block.py")


def width(s):
    """Columns of the graph pane."""
    line = s.row(r"\d graph[\] ]")
    return s.cols - line.index("graph") + 3


def source(s):
    """Columns of the source pane."""
    return s.row(r"^.1 source").index("┤")


def rows(s):
    """Rows of the graph pane, without title and column names."""
    return [r[3:] for r in s.pane("graph")[2:] if r.strip()]


for lines, cols in (24, 80), (40, 120), (50, 200):
    size = "%dx%d: " % (cols, lines)
    with Screen(PROGRAM, rows=lines, cols=cols, options=["-q"], limit=120) as s:
        s.line("break Block.forward").stopped("continue", "breakpoint")
        s.stopped("continue", "breakpoint")
        before, text = width(s), source(s)
        s.line("stepg").line("stepg").line("stepg").line("stepg")
        head = s.pane("graph")[1]
        like(head, r"^ *node +call .*line", size + "node, call and line of the graph that is stepped are shown", )
        calls = "\n".join(rows(s))
        like(calls, r"^(layer_norm|transpose|matmul|weights) ", size + "the nodes have their names")
        ok(all("…" not in r.split()[0] for r in rows(s)), size + "whole", s.text)
        ok(head.index("line") - head.index("call") > 18, size + "a call has at least 18 columns", s.text)
        ok(width(s) > before, size + "the pane got room of the panes beside it", (before, width(s)))
        if cols < 200:
            unlike(head, r"\bdtype\b", size + "the dtype gave way")
        if lines > 24:
            like(head, r"shape.* nan +inf +min +max", size + "and has the figures, too")
            like(calls, r"2, 8, 16 .*-?\d", size + "with their numbers")
        ok(source(s) >= 3 * text // 4, size + "the source keeps three quarters of its room", s.text)
        wide = width(s)
        s.line("stepg")
        is_(width(s), wide, size + "the next step moves no border")
        s.line("finish")
        s.line("finish")
        is_(width(s), before, size + "after the graph the panes have their own room again")
        if cols == 120:
            s.line("winwidth source 50")
            s.stopped("continue", "breakpoint")
            s.line("stepg").line("stepg")
            like(s.row(r"^ 1 source"), r"^.{50}┤", size + "a border that was moved by hand stays")
done()
