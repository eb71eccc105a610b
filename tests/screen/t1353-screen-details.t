#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Tabs in texts and titles of the full screen, sizes that a layout resets, and Ctrl-C with what `handle` says.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *
from cdbgtest import _folder

PROGRAM = script('''
    import time


    def wait():
        try:
            print("waiting", flush=True)
            while True:
                time.sleep(0.01)
        except KeyboardInterrupt:
            print("the program got it", flush=True)


    wait()
    print("end")
''', "wait.py")
ESC = "\x1b"

for rows, cols in (24, 80), (40, 120):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"]) as s:
        words = ["word%d" % k for k in range(40)]
        s.keys("\x1b[200~python raise ValueError('one\ttwo\t' + '\\t'.join('word%d' % k for k in range(40)) + '\\nend' * 30)\x1b[201~").keys("\r")
        shown = s.text
        for _ in range(4):
            s.keys("\x1b[6~")
            shown += s.text
        is_([w for w in words if w not in shown.replace("\n", " ")], [], size + "a text with tabs keeps every word")
        title = s.row(r"^\[answer\]")
        like(title, r"ValueError\('one +two", size + "a tab in a title is a space")
        like(title, "─ ?$", size + "and the title stays in its row")
        s.keys(ESC)

home = _folder()
with Screen(PROGRAM, rows=40, cols=120, options=["-q"], env={"HOME": home}) as s:
    def line_rows():
        return 40 - 2 - next(y for y, l in enumerate(s.text.split("\n")) if l.startswith(" stopped: "))

    def source_rows():
        lines = s.text.split("\n")
        return next(y for y, l in enumerate(lines) if re.match(r" \d stack ", l))

    was = line_rows(), source_rows()
    s.line("winheight cmd 9")
    like(s.text, "sized, also next time: 'layout default' resets it", "winheight says that the size is kept, and what resets it")
    s.line("winheight source +3")
    ok(line_rows() == 9, "the command line has its height", s.text)
    s.line("layout src").line("layout default")
    is_((line_rows(), source_rows()), was, "layout default resets it, and the panes, from another layout")
    s.line("winheight cmd 8").line("layout default")
    is_(line_rows(), was[0], "and from itself")
with Screen(PROGRAM, rows=40, cols=120, options=["-q"], env={"HOME": home}) as s:
    is_((line_rows(), source_rows()), was, "also for later sessions")

with Screen(PROGRAM, rows=30, cols=100, options=["-q"]) as s:
    s.line("continue", wait=False).see("running")
    s.until(lambda: "waiting" in s.text, "waits")
    s.keys("\x03", wait=False).see("stopped: interrupt")
    s.settled()
    unlike("\n".join(s.pane("output")), "the program got it", "Ctrl-C stops the program, which gets nothing")
    s.line("handle SIGINT nostop pass")
    s.line("continue", wait=False).see("running")
    s.keys("\x03", wait=False).see("ended with status 0")
    s.ready()
    like("\n".join(s.pane("output")), "the program got it", "after 'handle SIGINT nostop pass' the program gets it")
done()
