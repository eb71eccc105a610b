#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Nothing is cut without a mark, and all that is cut can be read: rows of tables are not wrapped in answers, which scroll
# sideways, with a mark at each edge; bt lists the frames that the frames pane lists; v shows a row in full.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

LONG = "argument_" + "of_a_long_name_" * 12 + "end"
PROGRAM = script('''
    import re


    class A%s:
        def method(self, text):
            value = "start of the value " + "middle " * 20 + "end of it\\\\nsecond line"
            return re.sub("x", self.callback, text)

        def callback(self, m):
            return m.group()


    def outer(n):
        return A%s().method("xyz") if n < 1 else outer(n - 1)


    outer(8)
''' % ("Long" * 20, "Long" * 20), "cut.py")

for rows, cols in ((24, 80), (40, 120), (60, 200)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"]) as s:
        s.line("break 10")
        s.stopped("continue", "breakpoint")
        s.line("bt")
        text = s.text.split("\n")
        frames = [r for r in text if re.match(r"^ ?(=> |   )#\d+ ", r)]
        levels = [int(re.search(r"#(\d+)", r).group(1)) for r in frames]
        ok(len(frames) > 5 and levels == sorted(levels), size + "bt has a row for each frame", s.text)
        at = text.index(frames[0])
        ok(all(re.match(r"^ ?(=> |   )#\d+ ", r) for r in text[at:at + len(frames)]), size + "no row of it is wrapped", s.text)
        unlike(s.text, r" in sub |sub at .*__init__", size + "frames of a library are hidden")
        first = frames[0]
        if "…" in first:
            s.keys("\x1b[C" * 4)
            like(s.text, r"(?m)^ …", size + "scrolled to the right the left edge has a mark")
            s.keys("\x1b[C" * 40)
            like(s.text, r"cut\.py:10", size + "up to its end")
        s.keys("\x1b")
        s.line("focus frames")
        shown = [r for r in s.pane("frames")[2:] if re.search(r"\d", r)]
        unlike("\n".join(shown), "__init__", size + "the frames pane hides them, too")
        s.keys("\x1b").line("bt -a")
        like(s.text, r" sub at .*re\W", size + "bt -a lists all")
        s.keys("\x1b").line("up").line("focus locals").keys("g")
        for _ in range(6):
            if "value" not in s.at:
                s.keys("j")
        s.keys("v")
        flat = re.sub(r"\s+", " ", s.text)
        like(flat, r"answer\]? row \d+ of locals", size + "v opens the selected row")
        like(flat, r"name: value", size + "a line for each cell")
        like(flat, r"(middle ){19}", size + "in full")
        s.keys("\x1b")
done()
