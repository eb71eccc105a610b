#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# match, case, type and _ are coloured as keywords where they are keywords, and only there.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

TEXT = '''\
def kind(match, case, type=int, _=0):
    match (case, type):  # statement 1
        case (1, _):
            return match
        case {"a": _, **rest} if _ > 5:
            case = match.upper()
        case [_, *_] | str(_): return "one line"
        case _:
            match x:  # statement 2
                case 7:
                    type(x)
    match[0]: int = case[_]
    match = case = type = _
    match.case(_, type)
    match(
        case)
    print(match, case, _)
    type(match)
    case(5)
class match: pass
match: int = 3
type Alias = int | None
type Pair[T] = tuple[T, T]
type in (int, str)
'''
PROGRAM = script(TEXT, "soft.py")
BREAK = script('''
    def stop():
        return 1
    stop()
''', "stop.py")
KEYWORD, DEFINED, BUILTIN, NONE = "d787d7", "ffd787", "5fd7d7", "default"
NAMES = {KEYWORD: "keyword", DEFINED: "defined", BUILTIN: "builtin", NONE: "name"}


def kinds(s, line):
    """(word, what it is drawn as) for each of the four words in a line of the file."""
    text = TEXT.split("\n")[line - 1]
    for y, row in enumerate(s.screen.display):
        x = row.find(text.strip())
        if x >= 0 and re.search(r"\b%d\b" % line, row[:x]):
            lead = len(text) - len(text.strip())
            return " ".join("%s:%s" % (m.group(), NAMES.get(s.screen.buffer[y][x + m.start() - lead].fg, "?"))
                            for m in re.finditer(r"\b(match|case|type|_)\b", text))
    return "not shown"


TYPE = "keyword" if version() >= (3, 12) else "builtin"
for rows, cols in ((24, 80), (40, 120), (60, 200)):
    with Screen(BREAK, rows=rows, cols=cols, options=["-q"]) as s:
        s.line("set theme dark").line("break stop").line("continue").line("layout source").line("tui show source %s" % PROGRAM)
        got = {}
        s.line("focus source").keys("z")
        for key in ["\x1b[5~"] * 5 + ["\x1b[6~"] * 5:
            s.keys(key)
            for n in range(1, 25):
                if kinds(s, n) != "not shown":
                    got.setdefault(n, kinds(s, n))
        size = "%dx%d: " % (cols, rows)
        is_(got.get(1), "match:name case:name type:builtin _:name", size + "parameters are names")
        is_([got.get(n) for n in (2, 9)], ["match:keyword case:name type:builtin", "match:keyword"], size + "the first line of a match statement")
        is_([got.get(n) for n in (3, 5, 7, 8, 10)],
            ["case:keyword _:keyword", "case:keyword _:keyword _:name", "case:keyword _:keyword _:keyword _:keyword",
             "case:keyword _:keyword", "case:keyword"], size + "case and _ in its patterns, not in the condition after them")
        is_([got.get(n) for n in (4, 6, 11)], ["match:name", "case:name match:name", "type:builtin"], size + "names in its blocks")
        is_([got.get(n) for n in (12, 13, 14, 15, 16, 17, 18, 19)],
            ["match:name case:name _:name", "match:name case:name type:builtin _:name", "match:name case:name _:name type:builtin",
             "match:name", "case:name", "match:name case:name _:name", "type:builtin match:name", "case:name"],
            size + "names in other statements")
        is_([got.get(n) for n in (20, 21, 24)], ["match:defined", "match:name", "type:builtin"], size + "a class, an annotation, an expression")
        is_([got.get(n) for n in (22, 23)], ["type:" + TYPE] * 2, size + "type statements where Python has them")
done()
