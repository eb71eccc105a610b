#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# What is sent to the terminal: only what changed, and after any keys the same screen as when all of it is drawn again.
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

PROGRAM = script('''
    import sys
    names = ["plain", "日本語の名前", "e\\u0301a\\u0300o\\u0302", "emoji \\U0001f600 end", "x" * 300]
    def show(texts):  # 注釈 in a comment of the source, and a tab:	here
        total = 0
        for i, t in enumerate(texts):
            print(i, t)
            total += len(t)	# tab
        return total
    for k in range(20):
        show(names)
''', "wide.py")
KEYS = ["i", "n", "s", "j", "k", "\x1b[Z", "\x1bOQ", "\x1b3", "\x1b5", "\x1b[6~", "\x1b[5~", "l", "h", "\x1b[C", " ", "\x1bOP", "q",
        "/", "t", "\r", "\x1b\x1b", "\x1b\x1bhelp\t", "\x1b\x1bhelp break\r", "\x1b\x1bp 'x' * 500\r", "\x1b\x1bset hints off\r",
        "\x1b\x1bset hints on\r", "\x1b\x1bnext 3\r"]


def cells(s):
    """Every cell: text and look; the colour of the text of a space does not show."""
    out = []
    for y in range(s.rows):
        for x in range(s.cols):
            c = s.screen.buffer[y][x]
            blank = c.data == " " and not c.reverse and not c.underscore
            out.append((y, x, c.data, c.bg) if blank else (y, x) + tuple(c))
    return out


def first_difference(s, before, after):
    for a, b in zip(before, after):
        if a != b:
            return "%s is %s when drawn again:\n%s" % (a, b, s.text)
    return ""


def compare(term, rows, cols, rounds, seed):
    pick = random.Random(seed)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q", "-ex", "break show", "-ex", "continue"],
                env={"TERM": term}) as s:
        s.until(lambda: b"stopped: breakpoint" in s.raw, "the breakpoint").settled()
        worst = ""
        for k in range(rounds):
            typed = []
            for _ in range(6):
                typed.append(pick.choice(KEYS))
                s.keys(typed[-1]).settled()
            s.keys("\x1b").settled()
            s.keys("\x1b").settled()
            before, cursor = cells(s), (s.screen.cursor.y, s.screen.cursor.x)
            s.keys("\x0c").settled()
            worst = worst or first_difference(s, before, cells(s))
            if cursor != (s.screen.cursor.y, s.screen.cursor.x):
                worst = worst or "the cursor was at %s" % (cursor,)
            if worst:
                worst = "after %r: %s" % (typed, worst)
                break
        is_(worst, "", "%s, %dx%d: what was drawn key by key is what is drawn at once" % (term, cols, rows))


compare("xterm-256color", 24, 80, 12, 1)
compare("xterm-256color", 40, 120, 8, 2)
compare("xterm-256color", 60, 200, 6, 3)
for n, term in enumerate(("linux", "screen-256color", "vt100", "ansi", "rxvt")):
    compare(term, 24, 80, 4, n)

with Screen(PROGRAM, rows=60, cols=200, options=["-q"]) as s:
    size = len(s.raw)
    s.keys("\x1b\x1b").settled()
    s.keys("\x1b\x1b").settled()
    before = s.raw[size:]
    is_(re.sub(rb"\x1b\]7777[^\x1b]*\x1b\\", b"", before), b"", "a key that changes nothing sends nothing")
    s.line("break show").line("continue").settled()
    s.keys("\x1b[Z")
    size = len(s.raw)
    s.keys("i").settled()
    ok(len(s.raw) - size <= 2048, "an instruction further: 2 KB at most at 200x60", lambda: "%d bytes" % (len(s.raw) - size))
    unlike(s.raw[size:].decode(errors="replace"), r"\x1b\[2J|\x1b\[H\x1b\[J", "and nothing is cleared")

done()
