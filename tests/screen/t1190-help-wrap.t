#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Help in the overlay: its paragraphs are filled to the width of the screen, whatever width they were written for.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

with Screen("pass\n", rows=24, cols=80, options=["-q"]) as s:
    for rows, cols in ((24, 80), (20, 60), (40, 120), (60, 200)):
        size = "%dx%d: " % (cols, rows)
        s.resize(rows, cols)
        s.keys("\x1b\x1b")
        s.line("help handle").line("help break").line("tui answer")
        rows_of = [line[1:] for line in s.pane("answer")[1:]]
        first = next((i for i, line in enumerate(rows_of) if line.startswith("LOCATION is")), -1)
        text = rows_of[first:]
        ok(first > 0 and all(not line.startswith(" ") for line in text), size + "rows of a paragraph are not indented",
           lambda: "\n".join(rows_of))
        words = [line.split(" ")[0] for line in text]
        short = [line for line, word in zip(text, words[1:]) if cols < 90 and len(line) + 1 + len(word) <= cols - 2]
        is_(short, [], size + "and each holds as many words as fit")
        like(" ".join(text), r"An ENTRY \(0/0\) can be used as FUNC\. +Without LOCATION, or with `\.`: the current location",
             size + "no word is lost")
        is_(rows_of[:2], ["break [LOCATION] [if COND]", "    stop each time a location is reached"], size + "what is indented stays so")
        s.keys("q")
done()
