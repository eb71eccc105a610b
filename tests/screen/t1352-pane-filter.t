#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The filter of a pane: only rows with a text, in views, answers and the program's output; with selection, search, links and stops.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

LINES = "".join("    value_%d = %d\n" % (k, k) for k in range(300))
PROGRAM = script("def work(n):\n" + LINES + '''    needle = n
    return needle


for k in range(3):
    print("odd" if k % 2 else "even", k)
    work(k)
print("end")
''', "walk.py")
ESC = "\x1b"


def title(s, pane):
    return s.row(r"[\[ ](\d )?%s[\] ]" % pane)


def shown(s, pane):
    """The rows of a pane without its title and column names."""
    return [r for r in s.pane(pane)[1:] if r.strip() and not re.match(r" *(offset|name|slot) ", r)]


for rows, cols in (24, 80), (40, 120):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"]) as s:
        s.line("break work").stopped("continue", "breakpoint 1")
        s.line("focus source").keys("&")
        like(s.text, "^&$", size + "& asks for the text")
        like(s.text.split("\n")[-1], r"^ Enter show all rows +Down next row +Esc back", size + "the hints say how it ends")
        s.keys("value_29")
        is_([re.sub(r"^\W*\d+\W+", "", r)[:8] for r in shown(s, "source")][:11], ["value_29"] * min(11, len(shown(s, "source"))),
            size + "only rows with it are shown, also those that were not loaded")
        like(title(s, "source"), r"\[1 source\] &value_29 11 of 30\d", size + "the title has the text, and how many there are")
        s.keys("5")
        is_(len(shown(s, "source")), 1, size + "each letter narrows it down")
        s.keys("\x7f").keys("\r")
        like(title(s, "source"), r"&value_29 11 of 30\d", size + "Enter keeps it")
        s.keys("gjj")
        like(s.at, "value_291 = 291", size + "the selection moves among the rows that are left")
        s.keys("/").keys("_299")
        like(s.text, "/_299 +/_299  1/1", size + "a search counts only them")
        s.keys("\r")
        like(s.at, "value_299", size + "and goes to one of them")
        s.keys("b")
        like(s.at, "●.*value_299", size + "an action is done on the row that is shown")
        s.keys("&").keys("needle")
        like(title(s, "source"), "&needle 2 of 30", size + "another text takes the place of the first")
        s.keys(ESC)
        like(title(s, "source"), "&value_29 11 of 30", size + "Esc restores the first")
        like(s.at, "value_299", size + "and the selected row too")
        s.keys("&").keys("\r")
        unlike(title(s, "source"), "&", size + "an empty text shows all rows again")
        like(s.at, "value_299", size + "with the same one selected")
        ok(any("value_298" in r for r in shown(s, "source")), size + "between its neighbours", s.text)

        # following
        s.keys("&").keys("n").keys("\r").keys(".")
        s.keys("c")
        like(s.row("stopped:"), "breakpoint 2.*walk.py:301", size + "the program continues")
        like(title(s, "source"), r"&n \d+ of 30", size + "a stop leaves the filter")
        s.keys("s")
        like("\n".join(shown(s, "source")), "▶.*needle = n", size + "and the current row is followed if it has the text")
        s.keys("&nosuch\r")
        like("\n".join(s.pane("source")).replace("\n", " "), r"no row has 'nosuch': & and +Enter +show +all +rows", size + "if none is left, the pane says how to get them back")
        s.keys("&\r")

        # what is asked for is shown
        s.keys("&value\r")
        s.keys(":").line("tui show source walk.py:305").line("focus source")
        unlike(title(s, "source"), "&", size + "what is asked for is not hidden by a filter")

        # links
        s.keys("C").keys("&").keys("STORE_FAST\r")
        like(title(s, "asm"), r"&STORE_FAST 30\d of \d+", size + "instructions can be filtered")
        s.keys("g")
        ok(all("STORE_FAST" in r for r in shown(s, "asm")), size + "and only those are shown", s.text)
        s.keys("G")
        like(s.at, "STORE_FAST +needle", size + "to the last")
        s.keys(":").line("focus source").keys(".")
        like("\n".join(s.pane("asm")), "·", size + "rows that belong to a selected row are marked among them")
        s.keys("C").keys("&\r")

        # the command
        s.keys(":").line("focus asm")
        s.keys(":").line("tui filter RETURN")
        like(title(s, "asm"), r"&RETURN 1 of", size + "tui filter TEXT is the command")
        s.keys("&\r")

        # texts
        s.keys(":").line("help")
        s.keys("&").keys("breakpoint").keys("\r")
        like(title(s, "answer"), r"\[answer\] &breakpoint \d+ of \d+", size + "an open answer can be filtered")
        body = [l for l in s.text.split("\n")[1:] if "help breakpoint" not in l]
        ok(any("breakpoint" in l for l in body) and not any(l.startswith("   step ") for l in body), size + "to the lines with it", s.text)
        s.keys("q")
        s.line("help").keys(ESC)

        # the program's output
        s.line("focus output").keys("\x1b&").keys("odd\r")
        like("\n".join(s.pane("output")[1:]), r"^odd 1$|^$", size + "the output pane, too")
        like(title(s, "output"), r"&odd \d of \d", size + "where M-& asks for it")
        unlike("\n".join(s.pane("output")[1:]), "even", size + "without the other lines")
        s.keys("\x1b&").keys("\r")
        s.keys(ESC)
        s.line("delete 1 2").line("continue").see("ended with status 0").ready()
        s.line("focus output")
        like("\n".join(s.pane("output")[1:]), "end", size + "all of it is shown again")
done()
