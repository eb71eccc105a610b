#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Messages of the full screen are whole: they wrap at words, the status line shows where it is cut, and what has no room
# beside it has a row of its own.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

PROGRAM = script('''
    class Accumulator:
        def add_one_value_to_the_running_total(self, value):
            return value + 1


    a = Accumulator()
    a.add_one_value_to_the_running_total(1)
    print("last line")
''', "a_program_with_a_long_name.py")
WORDS = " ".join("word%d" % i for i in range(1, 24))


def bottom(s):
    """The rows below the panes."""
    rows = s.text.split("\n")
    return rows[next(y for y, r in enumerate(rows) if r.startswith(" stopped:")):]


for rows, cols in ((24, 80), (40, 120), (60, 200)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"]) as s:
        s.line("break Accumulator.add_one_value_to_the_running_total").line("continue")
        s.settled()
        status = s.row("^ stopped:")
        ok(len(status) < cols or status.endswith("…"), size + "the status line ends with a mark if it is cut", status)
        s.keys("\x1bOQ")
        like("\n".join(bottom(s)), r"layout src, also next time( |$)", size + "F2 says the name of the layout and that it is saved")
        s.keys("\x1bOQ")
        like("\n".join(bottom(s)), r"layout asm, also next time( |$)", size + "also the next time")
        s.line("words = '%s'" % WORDS).line("p words")
        said = bottom(s)
        said = [r for r in said[said.index("(cdbg) p words") + 1 if "(cdbg) p words" in said else 1:] if "word" in r]
        is_(" ".join(" ".join(said).split()), repr(WORDS), size + "an answer is whole")
        ok(all(re.search(r"word\d+'?$", r) for r in said), size + "and broken between words", "\n".join(said))
        s.line("focus asm")
        s.keys("Q")
        like("\n".join(bottom(s)), r"the key Q has no meaning here: F1 lists keys, Esc goes to the prompt$",
             size + "what a key of a pane answers is whole")
        s.keys("\x1b")
        s.line("help")
        n = re.search(r"(\d+) lines of answer", s.text)
        m = re.search(r"─ 1-(\d+)/(\d+) ─", s.text)
        ok(n and (m.group(2) == n.group(1) if m else rows == 60), size + "the overlay and the message count the same lines", s.text)

with Screen(PROGRAM, rows=24, cols=80, options=["-q"]) as s:
    s.line("p '%s'" % WORDS).line("p 1").line("p 2")
    seen = ""
    for i in range(8):
        seen = "\n".join(r for r in bottom(s)[1:3] if r not in seen) + "\n" + seen
        s.keys("\x1b[5~")
    for word in ("word1 ", "word12", "word23"):
        ok(word in seen, "PageUp at the prompt shows each row of earlier answers: " + word, seen)
    s.line("focus stack").keys("/" + "x" * 90)
    s.keys("\r")
    like(s.text, r"(?s)no match for 'x{60,}.*", "a message that no row has room for is among the messages")
done()
