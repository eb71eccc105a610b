#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The menu of actions: what can be done with the selected row, each with its key and command, narrowed down by typing.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

PROGRAM = script('''
    def work(n):
        text = "some text"
        return n + len(text)


    for k in range(3):
        work(k)
    print("end")
''', "walk.py")
ESC = "\x1b"


def popup(s):
    """The rows of the open menu."""
    lines = s.text.split("\n")
    y = next((i for i, l in enumerate(lines) if l.startswith("action:")), None)
    out = []
    while y and s.screen.buffer[y - 1][1].bg in ("444444", "87afd7"):
        y -= 1
        out.insert(0, lines[y])
    return out


def actions(s):
    """Key and command of each row."""
    found = [m.groups() for m in (re.match(r" (\S*) +(.*?)(?:  |$)", r) for r in popup(s)) if m]
    return list(dict.fromkeys(found))       # a chosen row that is cut is there twice


def hints(s):
    return s.text.split("\n")[-1]


for rows, cols in (24, 80), (40, 120):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"]) as s:
        s.line("break work").stopped("continue", "breakpoint 1")
        s.line("focus source")
        like(hints(s), r"\bm actions\b", size + "the hints name the key of the menu")
        s.keys("m")
        found = actions(s)
        is_(found[0], ("Space", "delete 1"), size + "the menu begins with what Space does to the selected row")
        ok(any(re.fullmatch(r"tbreak \S*walk\.py:2", c) and k == "" for k, c in found), size + "it has commands that have no key", found)
        ok(("s", "step") in found, size + "and then the other keys", found)
        like(popup(s)[0], r"delete breakpoints", size + "each says what it does")
        like(hints(s), r"^ Enter run it +Down next +Esc close", size + "the hints say how it is used")
        s.keys("tbr")
        is_([c.split()[0] for _, c in actions(s)], ["tbreak"], size + "typing narrows it down")
        s.keys("\x7f\x7f\x7f").keys("caller")
        is_(actions(s), [("u", "up")], size + "also by what an action does")
        s.keys("\x7f" * 6).keys("STEP over")
        is_([k for k, _ in actions(s)], ["n", "o"], size + "by several words, in either case")
        s.keys("zzz")
        is_(actions(s), [], size + "nothing matches")
        s.keys("\r")
        like(s.text, "no action matches 'STEP overzzz'", size + "which Enter reports")
        s.keys("\x1b[18~")
        like(s.row("stopped:"), "breakpoint 1", size + "a key that runs the program does nothing in it")
        s.keys(ESC)
        unlike(s.text, "^action:", size + "Esc closes it")
        like(s.text, "^-- keys go to source --", size + "and the pane has the keys again")
        s.keys("m").keys("tbreak\r")
        like(s.text, r"temporary breakpoint 2 at walk\.py:2", size + "Enter runs the action")
        s.keys("m").keys("\x1b[B").keys("\x1b[B\x1b[A")
        lines = s.text.split("\n")
        chosen = [lines[y] for y in range(rows) if s.screen.buffer[y][1].bg == "87afd7" and s.screen.buffer[y][cols // 4].bg == "87afd7"]
        like(chosen[-1], r"^ t +advance walk\.py:2", size + "Down and Up choose")
        s.keys(ESC)
        s.keys("m").keys("break if\r")
        like(s.prompt, r"^\(cdbg\) break \S*walk\.py:\d+ if", size + "one that needs more words is left at the prompt")
        s.keys("\x03").line("focus locals")
        s.keys("g").keys("m")
        found = actions(s)
        ok(any(k == "e" and c.startswith("set var n = ") for k, c in found), size + "in another pane it has what its rows allow", found)
        ok(("", "watch n") in found, size + "by name", found)
        s.keys("whatis\r")
        like(s.text, r"^int", size + "and runs it")
        if "[answer]" in s.text:
            s.keys("q")
        s.keys("B")
        s.keys("m")
        is_(actions(s)[0], ("Space", "disable 1"), size + "a breakpoint can be disabled")
        s.keys("ignore\r")
        like(s.prompt, r"^\(cdbg\) ignore 1 ?$", size + "and its next hits ignored")
        s.keys("\x03").line("bind K print 6*7").line("focus source")
        s.keys("m").keys("6*7")
        is_(actions(s), [("K", "print 6*7")], size + "a key of the user is an action, too")
        s.keys(ESC)
        s.keys(":").line("bind s nexti").line("focus source")
        like(hints(s), r"\bs nexti\b", size + "the hints show the same table: a key that is bound again")
        s.keys(":").line("bind s ''").line("focus source")
        unlike(hints(s), r"\bs (step|nexti)\b", size + "or not bound any more")
        s.keys(":").line("bind s step")
        s.line("tui menu display")
        like(s.text, "^action: display", size + "the command tui menu opens it with a text")
        s.keys(ESC).keys(ESC)
        s.line("help tui")
        like(s.text.replace("\n", " "), "menu", size + "help lists it")
        s.keys(ESC)
done()
