#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The full screen with odd sizes of what it shows: a menu of few rows that is paged, an answer of one very long line.
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

PROG = script('''
    v_1 = v_2 = v_3 = v_4 = v_5 = "a" * 400000
    print(1)
''')

with Screen(PROG, options=["-q"]) as s:
    s.line("next")
    s.keys("p v_\t").keys("\t")
    like(s.text, r"v_1(.|\n)*v_5", "Tab opens a menu of five rows")
    for page in ("\x1b[5~", "\x1b[6~"):
        for n in range(3):
            s.keys(page)
            like(s.text, r"v_1.*\n.*v_2.*\n.*v_3.*\n.*v_4.*\n.*v_5", "paging keeps its rows on the screen")
    s.keys("\r")
    like(s.prompt, r"^\(cdbg\) p v_[1-5]$", "Enter takes one of them")
    s.keys("\x03")
    s.line("set repr-limit 1000000")
    began = time.monotonic()
    s.line("p v_1").see("[answer]")
    ok(time.monotonic() - began < 8, "an answer of one line of 400,000 characters opens at once")
    s.keys("q")
    s.line("p 1 + 1").see("2")
done()
