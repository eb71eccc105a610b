#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# An exception opens a card with type, message and line, and `info why` says the same; after the program has ended
# `info why` still answers for the last stop, panes stay readable, and `restart` runs the program again.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
PROGRAM = script('''
    import torch


    @torch.compile(backend="eager", dynamic=False)
    def f(x, table, key):
        y = x * 2
        if table is None:
            print("no table")
        return y + table[key]


    f(torch.ones(4), {"a": 1}, "a")
    f(torch.ones(5), {"a": 1}, "a")
    try:
        f(torch.ones(4), {"a": 1}, "no such key")
    except KeyError:
        print("caught")
    print("end")
''', "stops.py")

# Much output leaves the guards pane three rows, all of them headings.
with Screen(script(open(PROGRAM).read().replace("import torch\n", "import sys, torch\nprint('line\\n' * 9, file=sys.stderr)\n", 1), "much.py"),
            rows=24, cols=80, options=["-q"], limit=120) as s:
    s.line("continue", wait=False).see("the program ended").settled()
    s.keys("\x1b")
    guards = "\n".join(s.pane("guards"))
    like(guards, r"[▾▸] +entry 0/0 of f", "headings of guards have their text where nothing else is in sight")

for rows, cols in ((24, 80), (40, 120), (60, 200)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"], limit=120) as s:
        s.line("catch exception KeyError")
        s.stopped("continue", "exception")
        like(s.text, r"answer +exception KeyError: 'no such key' ─", size + "the card has type and message")
        like(s.text, r"(?m)^ at \S*stops\.py:\d+ in \w+", size + "and the line")
        like(s.text, r"close the card", size + "and says how to close it")
        s.keys("\x1b")
        unlike(s.text, "answer", size + "Esc closes it")
        s.line("info why")
        like(s.text, r"exception KeyError: 'no such key'", size + "info why says the same")
        s.keys("\x1b").line("delete 1").line("continue", wait=False)
        s.see("the program ended").settled()
        like(s.text, r"restart or quit", size + "at the end the screen offers to restart")
        like(s.row("restart runs"), r"restart runs it again +quit leaves", size + "also in the row of hints")
        s.keys("\x1b").line("info why")
        like(s.text, r"exception KeyError: 'no such key'", size + "after the end info why answers for the last stop")
        like(s.text, r"at \S*stops\.py:\d+ in \w+", size + "with its line")
        s.keys("\x1b")
        like("\n".join(s.pane("source")), r"return y \+ table\[key\]|f\(torch\.ones\(4\)", size + "the source stays")
        guards = s.pane("guards")
        ok(any(re.search(r"[▾▸] +\w", r) for r in guards), size + "headings of guards have their text", "\n".join(guards))
        for line, want in (("info breaks", r"no graph breaks|stops\.py"), ("info entries", r"0/1"), ("explain f", r"2 cache entries|0/0"),
                           ("list f", r"def f\(x, table, key\)")):
            s.line(line)
            like(s.text, want, size + line + " answers after the end")
            s.keys("\x1b\x1b")
        s.line("catch recompile f").line("restart", wait=False)
        s.sent = 0                          # it is another process, which counts again
        s.see("stopped: start").settled()
        like(s.row("^ stopped"), r"stopped: start\b", size + "restart runs it again")
        s.stopped("continue", "recompile|compiles again")
        like(s.text, r"f compiles again as 0/1", size + "catchpoints are kept")

with Cdbg(PROGRAM) as d:
    d.do("catch exception KeyError")
    d.go()
    like(d.rows("info why")[0]["text"], r"^exception KeyError: 'no such key'", "info why at an exception, for machines")
    d.do("delete 1")
    d.run_out()
    like(d.rows("info why")[0]["text"], r"^exception KeyError: 'no such key'", "and after the program has ended")

with Cdbg(script("""
    import subprocess, sys, torch
    subprocess.run([sys.executable, "-c", ""])
""")) as d:
    d.do("catch exec")
    d.go()
    like(d.rows("info why")[0]["text"], r"^exec of \S*python\S*, by subprocess", "info why at another stop says what stopped, where nothing is compiled")

done()
