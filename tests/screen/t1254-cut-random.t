#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Random wide and long content in panes of random sizes: a row that does not show the end of its text has a mark, no
# character leaves its row, the key v shows all of it, and scrolling to the right ends at the end.
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

PARTS = ["abc def ", "日本語の文字 ", "ｆｕｌｌ", "e\u0301e\u0301", "🙂🙃", "👨\u200d👩\u200d👧", "🇩🇪", "한국어", "x", "_" * 30, "\t", "∀∃", "ß", "☀\ufe0f"]
SEED = 20240
rand = random.Random(SEED)


def content(n):
    return "".join(rand.choice(PARTS) for _ in range(rand.randrange(1, 40)))


LINES = ["def f():"]
for n in range(24):
    text = content(n)
    LINES.append("    v%02d = 'S%02d %sE%02d'" % (n, n, text.replace("\t", "\\t"), n))
LINES += ["    return 0", "", "", "f()"]
PROGRAM = script("\n".join(LINES) + "\n", "cut_random.py")


def cut_without_mark(s, name):
    wrong, seen = [], 0
    for row in s.pane(name)[1:]:
        m = re.search(r"S(\d\d) ", row)
        if not m:
            continue
        seen += 1
        # the value that is shown is itself shortened by dots
        if "E" + m.group(1) not in row and "…" not in row and "..." not in row:
            wrong.append(row)
    return wrong, seen


for n in range(6):
    rows, cols = rand.randrange(20, 60), rand.randrange(60, 200)
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"], limit=120) as s:
        s.line("break 26")
        s.stopped("continue", "breakpoint")
        for name in "source", "locals":
            s.line("focus " + name).keys("g")
            wrong, seen = cut_without_mark(s, name)
            is_(wrong, [], size + name + ": a row that is cut has a mark")
            ok(seen > 1, size + name + ": rows were looked at", s.text)
            if name == "source":
                s.keys("j")
            number = re.search(r"S(\d\d) ", s.text.split("\n")[s.screen.cursor.y])
            at = s.text.split("\n")[s.screen.cursor.y]
            if number:
                s.keys("v")
                flat = re.sub(r"[│\s]+", "", s.text)
                for _ in range(10):
                    if "E" + number.group(1) in flat:
                        break
                    s.keys(" ")
                    flat = re.sub(r"[│\s]+", "", s.text)
                ok("E" + number.group(1) in flat or "..." in flat, size + name + ": v shows the end of it", s.text)
                s.keys("q")
            else:
                skip(size + name + ": v shows the end of it", "the cursor is on another row: " + at)
            s.keys("\x1b").line("focus " + name).keys("l" * 500)
            rest = [r for r in s.pane(name)[2:] if r.strip()]
            ok(not rest or any(re.search(r"\w", re.sub(r"^[^…]*…", "", r)) for r in rest), size + name + ": scrolled to the right, the end is in sight, not less", s.text)
            s.keys("\x1b")
        # what the terminal shows is what a redrawn screen shows: nothing is left from characters of contested width
        before = s.text
        s.keys("\x0c")
        is_(s.text, before, size + "a redrawn screen is the same")
NAMES = script("def f():\n%s%s    return 0\n\n\nf()\n" % ("".join("    v%d = 'value %d'\n" % (n, n) for n in range(8)),
                                                     "".join("    a_name_that_is_long_%d = 'w'\n" % n for n in range(30))), "names.py")
with Screen(NAMES, rows=24, cols=80, options=["-q"]) as s:
    s.line("break 40")
    s.stopped("continue", "breakpoint")
    s.line("focus locals").keys("\x1b")
    before = s.pane("locals")
    s.resize(60, 200).resize(24, 80)
    s.line("focus locals").keys("\x1b")
    is_(s.pane("locals"), before, "after a larger screen and back, columns have the width of the rows in sight")
done()
