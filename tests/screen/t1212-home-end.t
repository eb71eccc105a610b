#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Home and End, whatever the terminal sends for them, and sequences that mean nothing, which type no text.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *
from cdbgtest import _folder

PROGRAM = script("\n".join("value_%d = %d" % (i, i) for i in range(90)) + "\n", "long.py")
HOME = ["\x1b[1~", "\x1b[7~", "\x1bOH", "\x1b[H"]
END = ["\x1b[4~", "\x1b[8~", "\x1bOF", "\x1b[F"]
UNKNOWN = ["\x1b[2~", "\x1b[29~", "\x1b[1;3A", "\x1b[3;5~", "\x1b[1;5F", "\x1b[27;5;13~", "\x1b[M ab", "\x1bO5Q", "\x1bO2x",
           "\x1b]10;rgb:ffff/0000/ffff\x07", "\x1b]11;later\x1b\\", "\x1bP1$r0m\x1b\\", "\x1b_text\x1b\\", "\x1b[?1;2c",
           "\x1b[[Z", "\x1b[200u", "\x1b[I", "\x1b\xe9", "\x1b[12;40R"]


def at(s):
    return re.split("  +", s.prompt)[0], s.screen.cursor.x


for term, rows, cols in (("xterm-256color", 24, 80), ("screen-256color", 40, 120), ("tmux-256color", 24, 80)):
    name = "%s, %dx%d: " % (term, cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"], env={"TERM": term}) as s:
        for home, end in zip(HOME, END):
            s.keys("p 12").keys(home).keys("1").keys(end).keys("4")
            is_(at(s), ("(cdbg) 1p 124", 13), name + "%r and %r at the prompt" % (home, end))
            s.keys(home).keys("\x1b[3~").keys(end).keys("\r")
            like(s.text, "^124$", name + "Delete as well")
        s.line("focus source")
        for home, end in zip(HOME, END):
            s.keys(end)
            like(s.at, " 90 .*value_89", name + "%r in a pane is its last row" % end)
            s.keys(home)
            like(s.at, " 1 .*value_0", name + "%r its first" % home)
        s.keys("\x1b").line("help finish").line("help")
        like(s.text, r"^\[answer\] help ─+ 1-", name + "an answer is open")
        for home, end in zip(HOME, END):
            s.keys(end)
            unlike(s.row(r"^\[answer\]"), " 1-", name + "%r there is its end" % end)
            s.keys(home)
            like(s.row(r"^\[answer\]"), " 1-", name + "%r its begin" % home)
        s.keys("q").keys("p 7")
        for seq in UNKNOWN:
            s.keys(seq.encode("latin-1"))
            is_(at(s), ("(cdbg) p 7", 10), name + "%r types nothing" % seq)
        s.keys("\x1b[2~")
        like(s.text, "the key Insert has no meaning here", name + "a key without a meaning is reported")
        s.keys("\x1b[1;\x1b[A")
        is_(at(s)[0], "(cdbg) help", name + "the key after half a sequence is a key")

with Terminal(PROGRAM, options=("--plain", "-q"), env={"HOME": _folder(), "TERM": "screen-256color"}) as t:
    t.expect(r"\(cdbg\) ")
    for home, end in zip(HOME, END):
        t.send(" 12" + home + "p" + end + "4\r")
        is_(t.expect(r"\n(\d+|.*(?:error|undefined).*)\n\(cdbg\) ").group(1), "124", "%r and %r at the plain prompt" % (home, end))
done()
