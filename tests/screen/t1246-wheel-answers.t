#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The wheel over an open answer, or over a stop's card, scrolls it; elsewhere it scrolls the pane below the pointer, and
# the answer or card stays open.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

PROGRAM = script("def f(n):\n    text = 'word ' * 600\n    raise ValueError(text)\n\n\ntry:\n    f(1)\nexcept ValueError:\n    pass\n" + "x = 1\n" * 90,
                 "wheel.py")


def turn(y, x, down=True):
    return "\x1b[<%d;%d;%dM" % (65 if down else 64, x + 1, y + 1)


def title(s, pattern):
    return next(y for y, line in enumerate(s.text.split("\n")) if re.search(pattern, line))


for rows, cols in ((24, 80), (40, 120)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"]) as s:
        s.line("help")
        y, before = title(s, r"^\[answer\]"), s.pane("answer")
        s.keys(turn(y + 2, 9))
        is_(s.pane("answer")[1:3], before[4:6], size + "the wheel over an answer scrolls it by three rows")
        s.keys(turn(y + 2, 9, False))
        is_(s.pane("answer"), before, size + "and back")
        s.keys("\x1b\x1b").line("help break")
        before, source = s.pane("answer"), s.pane("source")
        s.keys(turn(3, 9))
        ok(s.pane("answer") == before and s.pane("source") != source, size + "elsewhere it scrolls the pane there, and the answer stays", s.text)
        s.keys("\x1b\x1b").line("catch exception ValueError")
        s.stopped("continue", "exception")
        y = title(s, r"^ answer ")
        card = s.text.split("\n")[y + 1:y + 4]
        source = s.pane("source")
        s.keys(turn(y + 2, 9))
        now = s.text.split("\n")
        like(now[y], r"^ answer ", size + "the wheel over a card keeps it open")
        ok(now[y + 1:y + 4] != card, size + "and scrolls it", s.text)
        s.keys(turn(3, 9))
        like(s.text.split("\n")[y], r"^ answer ", size + "the wheel over a pane does, too")
        ok(s.pane("source") != source, size + "and scrolls the pane", s.text)
        s.keys("\x1b")
        unlike(s.text, "(?m)^ answer ", size + "Esc closes it")
done()
