#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Numbers that somebody else writes: those of escape sequences in the program's output and of the mouse, those of
# commands.  However large, they crash nothing and do not turn into other numbers.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *


def lines(s):
    return [line for line in s.pane("output")[1:] if line]


HUGE = ["2147483647", "2147483648", "4294967295", "4294967297", "9223372036854775807", "9223372036854775808",
        "99999999999999999999999999", "-1", "-2147483648"]

with Screen('''
    import sys
    print("ab\\r\\x1b[2147483647@cd", flush=True)
    x = 1
    print("alive")
''', options=["-q"]) as s:
    s.line("break 3")
    s.line("continue")
    s.see("stopped: breakpoint 1")
    is_((s.status, s.eof), (None, False), "the largest count of inserted characters does not crash the full screen")
    s.line("continue")
    s.see("ended with status 0", "alive")
    ok("alive" in lines(s), "the program runs to its end")
    s.line("quit", wait=False)
    is_(s.ended(), 0, "the end of it")

with Screen('''
    import sys
    huge = %r
    for number in huge:
        for final in "@PCDGKmABEFHJLMSTXdfhlnrsu`":
            sys.stdout.write("ab\\\\r\\\\x1b[" + number + final + "\\\\n")
            sys.stdout.write("cd\\\\x1b[" + ";".join([number] * 40) + final + "\\\\n")
        for kind in "34":
            for how in "52":
                sys.stdout.write("\\\\x1b[%%s8;%%s;%%s;%%s;%%smx\\\\x1b[0m\\\\n" %% (kind, how, number, number, number))
    sys.stdout.write("x" * 5000 + "\\\\r\\\\x1b[9999@" + "y" + "\\\\n")
    print("\\x1b[31mred\\x1b[0m", "in" "\\x1b[2C" "dent")
    print("inser\\x1b[5D\\x1b[2@__")
    print("del\\x1b[3D\\x1b[1P")
    print("all of it")
'''.replace("%r", repr(HUGE)).replace("%%", "%").replace("\\\\", "\\"), options=["-q"]) as s:
    s.line("continue")
    s.see("all of it", "ended with status 0")
    ok(re.search(r"ended with status 0", s.text) and not s.eof, "every sequence with every huge number is taken", s.text)
    is_(lines(s)[-4:], ["red in  dent", "__inser", "el", "all of it"], "sequences with small numbers still work")
    for number in HUGE:
        s.keys("\x1b[<0;%s;%sM" % (number, number))
        s.keys("\x1b[<%s;1;1M" % number)
    s.line("info cdbg").see("CPython")
    like(s.text, r"CPython +3", "so is the mouse, however far outside it clicks: the next command is answered")
    s.line("winheight cmd 9223372036854775807")
    s.line("winheight -9223372036854775808")
    s.line("winwidth output 9223372036854775807")
    s.line("quit", wait=False)
    is_(s.ended(), 0, "sizes of panes beyond every number are refused")

with Cdbg('''
    def f(a):
        b = a + 1
        return [a, b]
    print(f(1))
    print(f(2))
''') as d:
    d.do("break f")
    d.go()
    d.do("display a")
    like(d.error("undisplay 4294967297") or "", "4294967297", "undisplay takes no number modulo 2**32")
    is_(len(d.rows("info display")), 1, "and the display stays")
    d.go("stepi")
    like(d.error("set stack 4294967296 = 5") or "", "4294967296", "set stack takes no slot modulo 2**32")
    for line in ("list 9223372036854775807", "list 1,9223372036854775807", "list ,9223372036854775807",
                 "backtrace -9223372036854775808", "backtrace 9223372036854775807", "up 9223372036854775807",
                 "down 9223372036854775807", "info source prog.py:9223372036854775807",
                 "ignore 1 9223372036854775807", "disassemble #9223372036854775807"):
        d.cmd(line)
    is_(d.rows("info locals")[0]["value"], "1", "and no other command is harmed by one")
done()
