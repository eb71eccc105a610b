#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A misspelt command, view, option, kind of stop or subcommand: the error names what is unknown and suggests the nearest name.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

with Cdbg("""
    def f(total):
        first = total
        return first
    f(2)
""") as d:
    d.do("break f")
    d.go()
    is_(d.error("brek"), "unknown command 'brek'; did you mean 'break'?", "a misspelt command alone, without Python's NameError")
    is_(d.error("brek foo.py:3"), "unknown command 'brek'; did you mean 'break'?",
        "a misspelt command with arguments, without Python's SyntaxError")
    is_(d.error("contniue"), "unknown command 'contniue'; did you mean 'continue'?", "two letters swapped")
    is_(d.error("zzyzx"), "unknown command 'zzyzx'; 'help' lists the commands", "nothing near: how to list them")
    like(d.error("zzyzx + 1"), "^unknown command 'zzyzx'.*NameError", "a line that can be Python keeps Python's error")
    like(d.error("for x"), "^SyntaxError", "a line that begins with a keyword is Python")
    like(d.error("totl.x"), "^NameError", "so is a line that no command can begin")
    is_(d.text("total"), "2", "a variable is Python, though a command is near")
    is_(d.error("st"), "ambiguous command 'st': step, stepg, stepi, stack", "an ambiguous prefix lists what it may be")
    is_(d.error("info brekpoints"), "unknown view 'brekpoints'; did you mean 'breakpoints'?", "a misspelt view")
    is_(d.error("info qqq"), "unknown view 'qqq'; 'info' lists the views", "a view that nothing is near")
    is_(d.error("help loclas"), "unknown command 'loclas'; did you mean 'locals'?", "help for a misspelt command")
    is_(d.error("help view loclas"), "unknown view 'loclas'; did you mean 'locals'?", "help for a misspelt view")
    is_(d.error("set widht 3"), "unknown option 'widht'; did you mean 'width'?", "a misspelt option")
    is_(d.error("show repr-limt"), "unknown option 'repr-limt'; did you mean 'repr-limit'?", "a misspelt option that is shown")
    is_(d.error("catch excepton"), "unknown catchpoint kind 'excepton'; did you mean 'exception'?", "a misspelt kind of stop")
    like(d.error("catch qqq"), "^unknown catchpoint kind 'qqq'; try: exception, signal, fork", "a kind that nothing is near")
    like(d.error("catch"), "^'catch' needs a kind of stop: exception, signal", "no kind at all")
    ok(len(d.error("x" * 5000)) < 200, "an unknown word is quoted in part")
done()
