#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The start card stays until compiled code is reached, also while the program runs; after the end no key that runs the
# program is named; a pane that its layout has no place for says that it is shown alone.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

PROGRAM = script('''

    name = input("name? ")
    print("hello", name)
''', "ask.py")


def hints(s):
    return s.text.split("\n")[-1]


for rows, cols in ((24, 80), (40, 120), (60, 200)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"]) as s:
        like(s.text, "Find graph breaks ", size + "the start card names the tasks")
        s.line("layout output").line("focus guards")
        like(s.text, "guards is shown alone: layout output has no place for it", size + "a pane without a place reports that")
        s.keys("\x1b").line("layout default")
        s.line("continue", wait=False).see("name?", "keys go to the program")
        s.until(lambda: "S-Tab leaves" in hints(s), "the row of hints, which is drawn last")
        tasks = ["Find graph breaks ", "Find recompiles ", "Find the first NaN ", "Step compiled code ", "Find a wrong node ", "Edit a guard "]
        for task in tasks[:2 if rows == 24 else 6]:  # the pane that the program writes to needs rows, too
            like(s.text, task, size + "while the program runs, too: " + task)
        like(hints(s), "keys go to the program +S-Tab leaves", size + "the program's pane says how to leave it")
        s.keys("me\r", wait=False).see("the program ended").settled()
        s.keys("\x1b").line("focus asm")
        like(hints(s), r"/ find +& filter +F1 help", size + "after the end the keys that read are named")
        unlike(hints(s), r"instruction|continue|run to|over", size + "and none that runs the program")
with Screen(PROGRAM, rows=10, cols=40, options=["-q"]) as s:
    like(s.pane("guards")[1], r"no guards:.*…$", "40x10: a text that its pane has no rows for is marked where it is cut")
done()
