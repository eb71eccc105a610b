#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The kernel pane: its rows are marked together with nodes, buffers, lines and instructions, in both directions.
import os
import re
import shutil
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_inductor()
PROGRAM = script('''
    import torch


    @torch.compile(backend="inductor")
    def f(x, w):
        a = torch.sin(x)
        b = a @ w
        c = b.relu()
        return c + 1


    x, w = torch.ones(4, 4), torch.ones(4, 4)
    for turn in range(2):
        f(x, w)
''', "kernels.py")


def linked(s, pane):
    """The rows of a pane that are marked, without marks and frame."""
    return [re.sub(r"^[^\w(]+", "", line) for line in s.pane(pane) if re.match(r"\W*[·↑↓]", line[:6])]


def lines(s):
    return [int(re.match(r"\d+", r).group()) for r in linked(s, "source")]


def called(s):
    """Beginnings of the names of kernels: the pane cuts them where offsets are wide."""
    return sorted({r for row in linked(s, "asm") for r in re.findall(r"cpp_fused_[a-z]+_|extern_kernels", row)})


folder = tempfile.mkdtemp(prefix="cdbg-t2236-")
with Screen(PROGRAM, rows=40, cols=120, options=["-q"], limit=400, env={"TORCHINDUCTOR_CACHE_DIR": folder}) as s:
    s.line("break f")
    s.stopped("continue", "breakpoint")
    s.stopped("stepg", "step")
    s.line("focus kernel").keys("g")
    like(s.at, r"› +buf0 sin", "the first row is the buffer of the next kernel")
    is_(lines(s), [6], "... its line is marked in the source pane")
    is_(called(s), ["cpp_fused_sin_"], "... and the instructions that call the kernel")
    s.keys("jjj")
    like(s.at, r"extern", "a line of the kernel's text is selected")
    is_((lines(s), called(s)), ([6], ["cpp_fused_sin_"]), "... it marks the same")
    s.keys("\x1b").line("focus source").keys("g").keys("/a = torch\r")
    s.until(lambda: linked(s, "kernel"), "the marks of the line")
    rows = linked(s, "kernel")
    ok(rows[0].startswith("buf0") and len(rows) > 3, "a line marks the buffer and the text of its kernel", str(rows))
    s.keys("\x1b").line("focus source").keys("g").keys("/b = a\r")
    s.until(lambda: not linked(s, "kernel"), "no marks in the kernel of another line")
    is_(linked(s, "kernel"), [], "the line of an operation of a library marks nothing in the kernel that computes its input")
    s.keys("\x1b").stopped("step", "step").stopped("step", "step")
    s.line("focus kernel").keys("g")
    like(s.at, r"› +buf2 add", "the pane has followed to the next kernel")
    is_(lines(s), [8, 9], "of a fused kernel all lines are marked")
    is_(called(s), ["cpp_fused_add_"], "... and its instructions")
    s.keys("\x1b").line("focus graph").keys("G")
    like(s.text, r"\[6 graph\]", "the graph pane has its place again, at the last row")
    is_(lines(s), [8, 9], "... its lines are marked")
shutil.rmtree(folder, ignore_errors=True)
done()
