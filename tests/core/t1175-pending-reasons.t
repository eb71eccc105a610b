#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A pending breakpoint says what it waits for and what to do: when it is set, and in `info breakpoints`.
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

path = script('''
import wave
def here():
    x = 1
    return x
def work():
    import later_module
    return later_module.go(here())      # imports
print(work())
''')
with open(os.path.join(os.path.dirname(path), "later_module.py"), "w") as f:
    f.write("class K:\n    def method(self):\n        return 1\ndef go(x):\n    return x + 1\n")

FIRST = [
    ("absent.py:3", "no file 'absent.py' is loaded yet"),
    ("absent.py:f", "no file 'absent.py' is loaded yet"),
    ("prog.py:heer", "'prog.py' has no function 'heer' yet; did you mean 'prog.py:here'?"),
    ("prog.py:nothing_like", "'prog.py' has no function 'nothing_like' yet"),
    ("wrok", "no function 'wrok' yet; did you mean 'work'?"),
    ("nothing_like", "no function 'nothing_like' yet; a library's is MODULE.FUNC"),
    ("wave.nothing", "'wave' has no function 'nothing' yet"),
    ("wave.Error.nothing", "'wave.Error' has no function 'nothing' yet"),
    ("later_module.nothing", "no module 'later_module' and no function 'later_module.nothing' yet"),
    ("later_module.py:99", "no file 'later_module.py' is loaded yet"),
    ("here@break", "no code of 'here' has a region 'break' yet"),
    ("nothing_like*4", "no function 'nothing_like' yet"),
    ("opcode:MATCH_CLASS", "no loaded code of the program has the instruction MATCH_CLASS yet"),
]

with Cdbg(path) as d:
    d.do("break %d" % d.line_of("# imports"))
    d.do("tbreak work")
    d.go()
    for where, why in FIRST:
        text = d.do("break " + where)["text"]
        like(text, r"^breakpoint \d+ is pending: [^\n]+\n?$", "break %s is pending, in one line" % where)
        ok(why in text, "and says why", (text, why))
    rows = {r["where"]: r for r in d.rows("info breakpoints")}
    for where, why in FIRST:
        ok(why in (rows["pending: " + where]["pending"] or ""), "info breakpoints says it of %s" % where, rows["pending: " + where])
    is_([r["pending"] for r in rows.values() if r["places"]], [None], "a breakpoint that is set waits for nothing")
    d.do("break later_module.go")
    d.go()
    rows = {r["where"]: r for r in d.rows("info breakpoints")}
    like(rows["pending: later_module.nothing"]["pending"], "'later_module' has no function 'nothing' yet",
         "once the module is loaded, the reason is another")
    like(rows["pending: later_module.py:99"]["pending"], "no code at or after line 99 of 'later_module.py': the last line with code is 5",
         "and for a line past its end")
    d.run_out()
out = run(path, options=("--plain",), commands=["break absent.py:3", "info breakpoints", "continue"])[1]
like(out, r"^1 .*pending: absent\.py:3\n {8}no file 'absent\.py' is loaded yet", "the text has it below the breakpoint")
done()
