#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A misspelled name is answered with the nearest one wherever a name is expected, and an unknown option with the usage;
# names after `break` are described; what cannot be completed yet says when it can.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

PROGRAM = script('''
    class Shape:
        def area(self):
            return 1


    def scale(n):
        def inner():
            return n
        return inner()


    print(scale(2), Shape().area())
''', "names.py")

with Cdbg(PROGRAM) as d:
    for line, want in (("info asm -x", r"^unknown option '-x' of 'info asm'; usage: info asm \[FUNC\|ENTRY\]"),
                       ("info breakpoints -x", r"'info breakpoints' takes no argument"),
                       ("backtrace -x", r"^unknown option '-x' of 'backtrace'; usage: backtrace \[-a\] \[N\]$"),
                       ("break -x", r"^unknown option '-x' of 'break'; usage: break "),
                       ("list -x", r"^unknown option '-x' of 'list'; usage: list "),
                       ("disassemble -a -x", r"^unknown option '-x' of 'disassemble'; usage: disassemble \[-a\] \[-o\]"),
                       ("catch exception -x", r"^unknown option '-x' of 'catch exception'; usage: catch exception"),
                       ("catch exceptoin", r"did you mean 'exception'"),
                       ("info breakpionts", r"did you mean 'breakpoints'"),
                       ("info brakes", r"did you mean 'breaks'" if has("torch") else r"unknown view"),
                       ("set widht 3", r"did you mean 'width'"),
                       ("help brek", r"did you mean 'break'"),
                       ("save brekpoints x", r"did you mean 'save breakpoints'"),
                       ("thread aply", r"^invalid thread 'aply': expected a number; 'info threads' lists the threads$")):
        like(d.error(line), want, line)
    for line in ("disassemble -a", "list -", "info asm scale", "backtrace -a", "break scale", "p -1"):
        unlike(d.error(line) or "", "unknown option", line + " takes this option")

with Screen(PROGRAM, rows=24, cols=80, options=["-q"]) as s:
    for line, want in (("focus sorce", "unknown pane 'sorce'; did you mean 'source'?"),
                       ("zoom stck", "unknown pane 'stck'; did you mean 'stack'?"),
                       ("hide outptu", "unknown pane 'outptu'; did you mean 'output'?"),
                       ("winheight sorce +1", "unknown pane 'sorce'; did you mean 'source'?"),
                       ("layout defalt", "unknown layout 'defalt'; did you mean 'default'?"),
                       ("layout zzzzzz", "unknown layout 'zzzzzz'; 'layout' alone lists the layouts"),
                       ("tui serach x", "unknown screen command 'serach'; did you mean 'search'?"),
                       ("tui theme drak", "unknown theme 'drak'; did you mean 'dark'?"),
                       ("tui scroll donw", "unknown direction 'donw'; did you mean 'down'?")):
        s.line(line)
        ok(want in " ".join(s.text.split("\n")[-5:-2]), line + " names the nearest", s.text)
    s.keys("break \t")
    for want in (r"Shape +class, names\.py:1$", r"Shape\.area +method, names\.py:2$", r"scale +function, names\.py:6$",
                 r"inner +function, names\.py:7$", r"names\.py: +file: its lines"):
        like("\n".join(r.rstrip() for r in s.text.split("\n")), "(?m)" + want.replace("$", r"\b"), "after break: " + want)
    s.keys("\x03break nosuch@\t")
    like(s.text, r"no function 'nosuch' is known yet", "a region of an unknown function says that")
    s.keys("\x03break zzz\t")
    like(s.text, r"nothing completes 'zzz'", "a word that nothing begins with is named")
done()
