#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Tab after every command and every subcommand that cdbg lists: a menu opens whose rows all say what they are, or the word
# is completed, or a message says that there is nothing; Esc leaves the line as it was; every row can be reached, also where
# few rows of the screen are left; a row that is cut is shown in full.
import os
import re
import string
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *
from menus import *

PROGRAM = script('''
    class Box:
        size = 1


    def work(n):
        box = Box()
        for i in range(n):
            box.size += i
        return box.size


    print(work(3))
''', "menus.py")
LINES = ("catch exception ", "catch signal ", "tcatch ", "handle SIGUSR1 ", "set theme ", "set hints ", "set ", "help view ", "help option ",
         "help catch ", "help guard ", "condition 1 ", "print box.", "print wo", "break menus.py:", "layout save ", "focus s", "")


with Cdbg(PROGRAM) as d:
    COMMANDS = [m.group(1) for m in re.finditer(r"(?m)^  ([a-z][\w-]*)(?: \([^)]*\))?  +\S", d.text("help"))]
    SUBS = [way for c in ("entry", "guard", "graph", "code", "overrides", "save", "info") for letter in string.ascii_lowercase
            for way in d.text("complete %s %s" % (c, letter)).splitlines()]
    LAST = [way for letter in string.ascii_lowercase for way in d.text("complete set " + letter).splitlines()][-1]
ok(len(COMMANDS) > 60 and "catch" in COMMANDS, "the commands are those that help lists", COMMANDS)
ok(len(SUBS) > 40, "and their subcommands and views", SUBS)

for rows, cols in ((24, 80), (40, 120), (60, 200)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"], limit=120) as s:
        s.line("break 9")
        s.stopped("continue", "breakpoint")
        s.line("display box.size").line("catch recompile")
        wrong = [w for c in COMMANDS for w in walk(s, c + " ")]
        is_(wrong, [], size + "Tab after each command")
        if rows == 24:
            wrong = [w for c in SUBS for w in walk(s, c + " ")]
            is_(wrong, [], size + "Tab after each subcommand and view")
        wrong = [w for line in LINES for w in walk(s, line)]
        is_(wrong, [], size + "Tab in other places")
        s.keys("help \t")
        unlike(s.text, "Helper|builtin", size + "a word of a table is not described as a value of the program")
        s.keys("\x1b").keys("\x03")

for rows, cols in ((24, 80), (10, 40)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"], limit=120) as s:
        s.keys("set \t")
        if rows > 15:
            total = menu(s)[2]
            ok(total > 20, size + "the menu counts its rows", s.text)
        total, seen, cut = 0, set(), []
        for i in range(60):
            s.keys("\x1b[B" if i % 2 else "\t")
            on = [y for y in range(rows) if sum(s.screen.buffer[y][x].bg == "87afd7" for x in range(cols)) > 11]
            text = [s.text.split("\n")[y].strip() for y in on]
            if not text:
                cut.append("row %d is not in sight" % i)
                continue
            seen.add(text[-1].split("  ")[0])
            if text[-1].endswith("…") and len(text) < 2:
                cut.append(text[-1])
        is_(cut, [], size + "the chosen row is in sight, and whole above the menu where it is cut")
        ok(len(seen) > 20 and "width" in seen and "auto-load-safe-path" in " ".join(seen), size + "every row is reached", sorted(seen))
        s.keys("\x1b")
        is_(s.prompt.rstrip(), "(cdbg) set", size + "Esc leaves the line as it was")
        s.keys("\x1b[A").keys("\x03").keys("set \t").keys("\x1b[A").keys("\r")
        is_(s.prompt.rstrip(), "(cdbg) " + LAST.rstrip(), size + "Up begins at the last row, Enter accepts it")
done()
