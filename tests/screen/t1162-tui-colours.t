#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Python in colours in the full screen's panes, and the theme that the terminal's background chooses.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

PROGRAM = script('''
    import functools

    @functools.cache
    def twice(n):  # a comment
        """two lines
        of text"""
        if n is None:
            return len("ä'x") + 0x10
        return n * 2

    print(twice(4))
''', "colours.py")
BROKEN = script('''
    def broken(:
        x = "never closed
        return 1 +

    class After:
        pass
    y = ((("
    def last(): return 5
''', "broken.py")
ESC = "\x1b"
KEYWORD, STRING, COMMENT, NUMBER, DEFINED, BUILTIN, DECORATOR = "d787d7", "87d787", "808080", "ff875f", "ffd787", "5fd7d7", "d7af87"
WHITE, BLACK, DARK = ESC + "]11;rgb:ffff/ffff/ffff" + ESC + "\\", ESC + "]11;rgb:00/10/00\x07", "nothing"


def colours(s, row, word):
    """The colours of a word in the first row that shows `row`."""
    for y, line in enumerate(s.screen.display):
        x = line.find(word, line.find(row)) if row in line else -1
        if x >= 0:
            return sorted({s.screen.buffer[y][x + i].fg for i in range(len(word))})
    return ["not shown"]


for rows, cols in ((24, 80), (40, 120), (60, 200)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"]) as s:
        s.line("break twice").line("continue").line("layout source")
        is_(colours(s, "if n is None", "if"), [KEYWORD], size + "a keyword")
        is_(colours(s, "def twice", "twice"), [DEFINED], size + "the name of a function")
        is_(colours(s, "# a comment", "# a comment"), [COMMENT], size + "a comment")
        is_(colours(s, '"""two lines', '"""two lines'), [STRING], size + "a text that spans lines")
        is_(colours(s, 'of text"""', 'of text"""'), [STRING], size + "and its second line")
        is_(colours(s, "return len", "len"), [BUILTIN], size + "a builtin")
        is_(colours(s, "return len", '''"ä'x"'''), [STRING], size + "a text of characters of several bytes")
        is_(colours(s, "return len", "0x10"), [NUMBER], size + "a number after it")
        is_(colours(s, "@functools.cache", "@functools.cache"), [DECORATOR], size + "a decorator")
        is_(colours(s, "return n * 2", "n * "), ["default"], size + "names have the terminal's colour")
        s.line("layout default").line("focus python")
        for _ in range(9):
            if "return" not in "".join(s.pane("python")):
                s.keys("j")
        is_(colours(s, "return", "return"), [KEYWORD], size + "the code as Python, too")
        s.keys(ESC).line("layout source")
        s.line("set theme light")
        is_(colours(s, "if n is None", "if"), ["870087"], size + "the light theme has its own")
        s.line("set color off")
        is_(colours(s, "if n is None", "if") + colours(s, "# a comment", "# a comment"), ["default"] * 2, size + "set color off removes them")
        s.line("set color on").line("set theme dark")
        is_(colours(s, "if n is None", "if"), [KEYWORD], size + "set color on and the dark theme bring them back")

with Screen(PROGRAM, options=["-q"], env={"NO_COLOR": "1"}) as s:
    s.line("break twice").line("continue")
    is_(colours(s, "def twice", "def"), ["default"], "NO_COLOR: none")
    s.line("set color on")
    is_(colours(s, "def twice", "def"), [KEYWORD], "which set color on overrides")

with Screen(PROGRAM, options=["-q"]) as s:
    s.line("layout source").line("info source %s" % BROKEN).keys(ESC)
    s.line("tui show source %s" % BROKEN)
    like(s.text, "class After:", "a file that is not Python is shown")
    is_(colours(s, "def broken", "def"), [KEYWORD], "with the colours in front of its first error")
    is_(colours(s, "class After", "class"), [KEYWORD], "and those after it")
    is_(colours(s, "def last", "5"), [NUMBER], "to its end")

with Screen(PROGRAM, options=["-q"]) as s:
    ok(s.raw.count(b"\x1b]11;?\x1b\\") == 1, "the terminal is asked for its background once")
    s.line("break twice").keys("cont").keys(WHITE[:9], wait=False).keys(WHITE[9:]).keys("inue\r")
    like(s.text, "stopped: breakpoint 1", "an answer in pieces amid a word loses no key")
    is_(colours(s, "def twice", "def"), ["870087"], "a light background selects the light theme")
    s.line("set theme dark")
    is_(colours(s, "def twice", "def"), [KEYWORD], "set theme dark overrides the answer")
    s.line("set theme auto")
    is_(colours(s, "def twice", "def"), ["870087"], "set theme auto follows it again")
    ok(s.raw.count(b"\x1b]11;?\x1b\\") == 1, "without asking again")
with Screen(PROGRAM, options=["-q"]) as s:
    s.keys(BLACK + "break twice\rcontinue\r")
    like(s.text, "stopped: breakpoint 1", "an answer in front of keys that were typed at once loses none of them")
    is_(colours(s, "def twice", "def"), [KEYWORD], "a dark background selects the dark theme")
with Screen(PROGRAM, options=["-q"]) as s:
    s.keys(ESC + "]11;rubbish" + ESC + "\\" + "info break\r")
    like(s.text, "no breakpoints", "an answer that says nothing is dropped")
    s.line("break twice").line("continue")
    is_(colours(s, "def twice", "def"), [KEYWORD], "and the dark theme stays")
with Screen(PROGRAM, options=["-q"], env={"TERM": "linux"}) as s:
    ok(b"]11;?" not in s.raw, "a console that would print the question is not asked")
done()
