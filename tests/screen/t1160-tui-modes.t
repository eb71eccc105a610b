#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The full screen says where keys go and what they do: the row of hints, the mode, numbers of panes, layouts; and what is
# typed into the wrong pane does nothing.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

WALK = script('''
    def total(n):
        sum = 0
        for i in range(n):
            sum += i
        return sum


    print("first line", total(4))
    print("last line")
''', "walk.py")
BACK, ESC = "\x1b[Z", "\x1b"


def hints(s):
    return s.text.split("\n")[-1]


def title(s, name):
    return (s.pane(name) or [""])[0]


for rows, cols in ((24, 80), (40, 120), (60, 200)):
    size = "%dx%d" % (cols, rows)
    with Screen(WALK, rows=rows, cols=cols, options=["-q"]) as s:
        like(hints(s), r"^ Tab complete  Up history  S-Tab panes", size + ": the last row names the keys of the prompt")
        s.line("focus asm")
        like(hints(s), r"^ i instruction  s step  n over  t run to  Space breakpoint", size + ": those of a pane")
        like(s.prompt, "^-- keys go to asm --", size + ": the prompt's row says that the pane gets the keys")
        before = s.row("stopped:")
        s.keys("info breaks\r")
        is_(s.row("stopped:"), before, size + ": a command that is sent into a pane moves nothing")
        like(s.prompt, "^-- keys go to asm -- .*12 characters came at once and were ignored", size + ": and a message reports it")
        s.keys("\x1b[200~next\r\x1b[201~")
        is_(s.row("stopped:"), before, size + ": nor does a paste")
        s.keys("Z")
        like(s.prompt, "the key Z has no meaning here", size + ": a letter without a meaning does nothing")
        is_(s.row("stopped:"), before, size + ": but report it")
        s.keys("g").keys("jjjjj")
        like(s.at, r"› +10 ", size + ": a key that is held down is a key")
        s.keys(ESC).keys(ESC)
        like(s.prompt, r"^\(cdbg\)$", size + ": Esc is safe to press twice")
        s.keys("p 6*7").keys(ESC).keys("\r")
        like(s.text, "^42$", size + ": it does not change what is typed after it")
        s.line("focus output")
        like(s.prompt, "^-- keys go to the program --", size + ": the program's keys are reported as its own")
        like(hints(s), "keys go to the program .*S-Tab leaves", size + ": and how to leave")
        s.keys(BACK).keys(ESC)
        for i in range(6):
            s.keys("\x1bOQ")
        like(s.prompt, r"^\(cdbg\)", size + ": F2 moves the focus nowhere")
        like(s.text, "layout output, also next time|layout o", size + ": it names the layout")
        s.keys("\x1bOQ")
        number = re.search(r"(\d) asm", title(s, "asm")).group(1)
        s.keys(ESC + number)
        like(s.prompt, "^-- keys go to asm --", size + ": M- and the number of a pane goes there")
        s.keys(ESC)
        s.line("layout src")
        s.line("focus guards")
        like(s.prompt, "^-- keys go to guards -- +guards is shown in the place of stack$",
             size + ": a pane that the layout lacks takes the free place, and a line reports it")
        ok(s.pane("source") and s.pane("guards"), size + ": beside the others")
        s.keys(ESC)
        s.line("set hints off")
        like(s.text.rstrip().split("\n")[-1], r"^\(cdbg\)", size + ": set hints off removes the row")

with Screen('''
    def f(x):
        return x + 1
    for i in range(3):
        f(i)
    print("done")
''', rows=24, cols=80, options=["-q"]) as s:
    is_(len(s.pane("output")), 1, "an output pane without anything new has one row")
    s.line("break 5")
    s.line("continue")
    is_(len(s.pane("output")), 1, "also at later stops")
    s.line("p print(7)")
    s.line("next")
    ok("done" in "\n".join(s.pane("output")) and len(s.pane("output")) > 3, "what the program writes makes room", s.text)
    s.line("delete 1").line("p 1")
    for name in ("source", "stack", "asm", "guards", "graph"):
        ok(len(s.pane(name)) > 2, "at 80x24 there is room for " + name, s.text)

with Screen(WALK, rows=24, cols=80, options=["-q"]) as s:
    s.keys("\x1b[<0;1;4M\x1b[<0;1;4m")
    like(s.pane("source")[3], "●.? +3 ", "a click in the margin sets a breakpoint")
    s.keys("\x1b[<0;1;4M\x1b[<0;1;4m")
    unlike(s.pane("source")[3], "●", "another one removes it")
    s.keys(ESC)
    s.line("break total")
    s.line("continue")
    s.line("focus frames")
    y = next(y for y, r in enumerate(s.text.split("\n")) if re.search(r"  1 +<module>", r))
    s.keys("\x1b[<0;10;%dM" % (y + 1) * 2)
    like(s.row("stopped:"), r"\(level 1\)", "a double click follows the row")
    s.keys("\x1b")
    s.line("focus asm")
    s.keys("/").keys("LOAD_")
    like(s.prompt, r"^/LOAD_ +/LOAD_  \d+/\d+$", "a search counts its matches while it is typed")
    s.keys("CONST")
    like(s.at + s.text, "LOAD_CONST", "and moves")
    s.keys("\r").keys("\x0e").keys("\x0e").keys("\x0e").keys("\x0e").keys("\x0e").keys("\x0e")
    like(s.prompt, r"/LOAD_CONST  \d+/\d+", "C-n continues")
    s.keys("/").keys("NOTHING")
    like(s.prompt, "no match for 'NOTHING' in asm", "what is not there is reported")
done()
