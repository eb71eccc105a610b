#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The output pane: sequences and strings without an end hide nothing that follows them, and what a line shows is what tmux shows.
import os, random, shutil, subprocess, sys, tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *
import pane_tmux

CASE = os.path.join(top, "tests", "cases", "string_without_end.py")
output = subprocess.run([interpreter(), CASE], stdout=subprocess.PIPE).stdout

with Screen(CASE, rows=40, cols=100) as s:
    s.line("tui zoom output")
    s.line("continue")
    like(s.text, r"\bafter CAN[^\0]*\bafter SUB[^\0]*\bafter ESC[^\0]*\blast line", "after a string without an end CAN, SUB and ESC are obeyed in the pane")
    for n in range(5, 18):
        like(s.text, r"\bseen %d\b" % n, "sequence %d without an end does not hide the next line in the pane" % n)

with tempfile.TemporaryDirectory() as folder:
    path = pane_tmux.tool(folder)
    if not path:
        skip("the pane alone", "no C compiler")
    else:
        lines = pane_tmux.shown(path, output, 80)
        missing = [text for text in ["seen %d" % n for n in range(18)] + ["after CAN", "after SUB", "after ESC", "last line"]
                   if not any(line.endswith(text) for line in lines)]
        is_(missing, [], "nothing without an end hides the lines that follow")
        for begin in b"\x1b]0;", b"\x1b_", b"\x1bX", b"\x1b^":
            ok("visible" in pane_tmux.shown(path, begin + b"no end\nvisible\n"), "a line ends the string %r" % begin)
        ok("visible" in pane_tmux.shown(path, b"\x1bP" + b"q" * (1 << 20) + b"\nvisible\n"), "a DCS without an end ends after 1 MiB")
        ok("picture" not in " ".join(pane_tmux.shown(path, b"\x1bPq\npicture\n\x1b\\after\n")), "a DCS of several lines is not shown")
        is_(pane_tmux.shown(path, b"abcdef\r\tX\rY\x1b[1J\n\x1b[>4m\x1b[1mbold\x1b[3b\n")[:2], ["  cdef  X", "boldddd"],
            "tabs keep what is written, erasing includes the cursor, a character is repeated")
        random.seed(1)
        for _ in range(300):    # any bytes, then what a terminal needs to begin anew, then a line
            data = bytes(random.choice(b"\x1b\x1b\x1b[]P_^X()7\x18\x1a\x0e\x0f\x9b\xc3\xe2;?0123456789hlmHJKrABCGq\n\r\t\b") for _ in range(random.randrange(1, 60)))
            if "visible" not in " ".join(pane_tmux.shown(path, data + b"\x1b\\\nvisible\n")):
                break
        else:
            data = None
        is_(data, None, "after 300 streams of random sequences the next line is shown")
    if shutil.which("tmux") and path:
        found = pane_tmux.compare(2000, 7)
        is_(found[:3], [], "2,000 random streams are shown as tmux shows them")
    else:
        skip("random streams are shown as tmux shows them", "no tmux or no C compiler")
done()
