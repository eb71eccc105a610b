#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A command typed or pasted into a pane is not executed as keys, however it arrives: all at once, also when it is short, or
# letter by letter faster than a person types.  Keys at a person's speed, and one that is held down, are keys.
import os
import re
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

PROGRAM = script('''
    def count(n):
        a = 1
        b = 2
        c = 3
        d = 4
        return a + b + c + d


    for k in range(200):
        count(k)
''', "typed.py")
PANES = "source", "asm", "stack", "locals", "breakpoints", "frames"


def place(s):
    return s.row("^ (stopped|running)").split("main thread")[0]


def quiet(s, seconds):
    """Reads until nothing has come for so long."""
    while s.pump(seconds):
        pass


def slowly(s, text, gap):
    """Types text with pauses that a program makes, none of which is that long on a machine that is not stalled."""
    worst = 0
    for c in text:
        then = time.monotonic()
        os.write(s.fd, c.encode())
        end = then + gap
        while time.monotonic() < end:
            s.pump(max(end - time.monotonic(), 0))
        worst = max(worst, time.monotonic() - then)
    return worst


# read by marks: all at once
with Screen(PROGRAM, rows=24, cols=80, options=["-q"]) as s:
    s.line("break count")
    s.stopped("continue", "breakpoint")
    here = place(s)
    for pane in PANES:
        s.line("focus " + pane)
        for text in "bt\r", "up\r", "fin\r", "info breaks\r", "bt", "explain\r":
            if text == "bt":
                continue
            s.keys(text)
            like(s.text, "characters came at once and were ignored", "%s: %r at once is ignored" % (pane, text))
        is_(place(s), here, pane + ": nothing ran")
        s.keys("\x1b")
        is_(s.prompt.rstrip(), "(cdbg)", pane + ": Esc ends at the prompt, which is empty")
        s.keys("\x1b")

    for key in "\x1b[17~", "\x1bOQ", "\x18s", "\x1b\x1b":
        s.keys(key)
        like(s.prompt, r"^\(cdbg\)", "%r at the prompt moves to no pane" % key)
        s.keys("\x1b").keys("\x03")

# no marks: the time between the letters counts
for gap in 0, 0.002, 0.010:
    with Screen(PROGRAM, rows=24, cols=80, options=["-q"], env={"CDBG_READY": ""}, wait=False) as s:
        s.until(lambda: "stopped: start" in s.text and "(cdbg)" in s.text, "the start")
        s.keys("break count\r", wait=False)
        s.until(lambda: "breakpoint 1" in s.text, "the breakpoint")
        s.keys("continue\r", wait=False)
        s.until(lambda: "stopped: breakpoint" in s.text, "the stop")
        s.keys("focus source\r", wait=False)
        s.until(lambda: "keys go to source" in s.text, "the focus")
        quiet(s, 0.5)
        here = place(s)
        for text in "bt\r", "explain\r", "info breaks\r":
            worst = slowly(s, text, gap)
            quiet(s, 0.5)
            if worst > (0.004 if gap < 0.005 else 0.025):   # a letter alone is a key after 5 ms
                skip("%r with %d ms between its letters runs nothing" % (text, gap * 1000), "the machine stalled for %d ms" % (worst * 1000))
            elif gap < 0.005 or text[0] != "i":
                ok(place(s) == here and "keys go to source" in s.text, "%r with %d ms between its letters runs nothing" % (text, gap * 1000), s.text)
            else:
                like(s.text, "characters came at once and were ignored", "%r with %d ms between its letters: at most the first is a key" % (text, gap * 1000))
            if place(s) != here:
                here = place(s)
        s.keys("n", wait=False)
        s.until(lambda: re.search(r"stopped: step", s.text), "n steps")
        like(s.text, r"stopped: step", "a single key is executed")
        quiet(s, 0.5)
        s.keys("g", wait=False)
        quiet(s, 0.4)
        s.keys("jjj", wait=False)
        s.until(lambda: re.search(r"(?m)^4 +c = 3", s.text) or re.search(r"(?m)^4 ", s.text), "j held down moves three rows")
        like(s.text, r"(?m)^4 ", "a key that is held down moves each time")
done()
