#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The full screen: what it shows at stops, in every size, and that it gives way to the plain prompt.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

os.chdir(os.path.dirname(script("", "none.py")))
with open("walk.py", "w") as f:
    f.write('''def total(n):
    sum = 0
    for i in range(n):
        sum += i
    return sum


def main():
    text = "é 注 λ"
    print("first line", total(4))
    return text


main()
print("last line")
''')
PLACE = [(r"\b0x[0-9a-f]+", "0x0")]

with Screen("walk.py", rows=24, cols=80, options=["-q"]) as s:
    s.same("start-80x24", "at 80x24 the start shows source, code, stack and output")
    unlike(s.raw.decode(errors="replace"), "not available", "no view is called missing before it is known which there are")
    s.line("break total")
    s.line("continue")
    s.same("break-80x24", "a breakpoint: its rows are marked, in source and code")
    for _ in range(9):
        s.line("stepi")
    s.same("step-80x24", "nine instructions on: the current row, the operand on the stack, the jump drawn",
           hide=[(r"\b0x[0-9a-f]+", "0x0")])
    like(s.row("stopped:"), r"step . total walk\.py:4 . main thread +stepi$",
         "the status line says why, where, which thread, and the last command")
    s.line("up")
    like(s.row("stopped:"), r"main walk\.py:10 \(level 1\)", "up selects the caller, the status line reports it")
    like(s.pane("source")[3] + s.pane("source")[4] + s.text, "▶ +10 ", "and source shows its line")

with Screen("walk.py", rows=40, cols=120, options=["-q"]) as s:
    s.line("break 11")
    s.line("continue")
    s.same("break-120x40", "at 120x40 six panes and the output are side by side")
    like("\n".join(s.pane("output")), "first line 6", "what the program wrote is in its pane")
    like("\n".join(s.pane("locals")), "text +'é 注 λ' +str", "wide characters keep their columns")
    s.line("tui help locals")
    s.same("help-120x40", "help of a pane: what it shows, signs, keys")
    s.keys("q")
    for name in ("code", "frames", "frame", "threads", "breakpoints", "display", "keys"):
        s.line("zoom " + name)
        s.same("pane-" + name, "the pane %s" % name, hide=PLACE + [(r"/[^ │]*/walk.py", "walk.py")])
        s.line("zoom")
    s.line("layout split")
    s.same("split-120x40", "layout split: source and code")
    s.line("continue")
    s.see("the program ended with status 0")
    like(s.text, "last line", "after the end the output is still there")
    s.line("quit", wait=False)
    is_(s.ended(), 0, "quit then gives the program's status")
    ok(s.sane, "and the terminal is as it was")

with Screen("walk.py", rows=6, cols=20) as s:
    like(s.text, "too small for panes", "at 20x6 it says that it needs more room")
    s.line("p 20 + 22")
    like(s.text, r"^42$", "and takes commands all the same")
    s.resize(50, 200)
    s.line("break 11")
    s.line("continue")
    ok(all(s.pane(p) for p in ("source", "asm", "stack", "locals", "frames", "breakpoints", "output")),
       "at 200x50 more panes use the room", s.text)
    s.resize(100, 300)
    ok(all(s.pane(p) for p in ("frames", "breakpoints", "display")), "and at 300x100")
    s.resize(1, 1)
    s.resize(24, 80)
    like(s.text, "stopped: breakpoint 1", "a terminal of one cell does no harm")

with Screen("walk.py", env={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}) as s:
    unlike(s.text, "[^\\x00-\\x7f]", "without UTF-8 the screen is plain ASCII")
    like(s.text, r"-\+ \d asm .*-\n", "with lines of its own")
    like(s.text, r" > +1 def total", "and the current row marked by >")

for name, value in (("TERM", "vt100"), ("TERM", "linux"), ("TERM", "screen"), ("NO_COLOR", "1")):
    with Screen("walk.py", env={name: value}) as s:
        like(s.text, "▶ +1 def total", "%s=%s: the same marks" % (name, value))
        colour = re.search(rb"\x1b\[(?:\d+;)*(3[0-7]|38;5;\d+|4[0-7]|48;5;\d+)m", s.raw)
        if (name, value) in (("TERM", "vt100"), ("NO_COLOR", "1")):
            ok(not colour, "%s=%s: no colours" % (name, value))

with Screen("walk.py", env={"LINES": "10", "COLUMNS": "30"}) as s:
    like(s.text, "▶ +1 def total", "LINES and COLUMNS of the environment are not believed")

for env, why in (({"TERM": "dumb"}, None), ({"TERM": "nothing-like-this"}, "unknown terminal type 'nothing-like-this'"),
                 ({"TERM": ""}, "TERM is not set")):
    with Terminal("walk.py", options=["-q"], env=env) as t:
        if why:
            t.expect("cdbg: no full screen: " + why)
        t.expect(r"\(cdbg\) ")
        t.line("quit")
        t.expect("y or n")
        t.line("y")
        is_(t.ended(), 0, "TERM=%r: the plain prompt takes over" % env["TERM"])
with Terminal("walk.py", options=["--plain", "-q"], env={"TERM": "xterm"}) as t:
    t.expect(r"\(cdbg\) ")
    unlike(t.text, "\x1b\\[\\?1049h", "--plain leaves the screen alone")
done()
