#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Subcommands: prefixes, options, missing and extra arguments, help and completion all follow from one row of a table.
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *


def completed(d, line):
    """What the last word of the line may become."""
    return [l.split()[-1] for l in d.text("complete " + line).splitlines()]


with Cdbg("""
    def f(n):
        return n
    f(2)
""") as d:
    d.do("break f")
    d.go()
    is_(d.error("save"), "'save' needs a subcommand: breakpoints", "a command without its subcommand")
    is_(d.error("save brekpoints x"), "unknown subcommand 'save brekpoints'; did you mean 'save breakpoints'?", "a misspelt subcommand")
    is_(d.error("save breakpoints"), "'save breakpoints' needs FILE; usage: save breakpoints FILE", "a missing argument, with the usage")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "two words")
        like(d.text("save br " + path), "^1 saved in '.*two words'", "a prefix is enough, and a file's name may hold spaces")
        ok(os.path.exists(path), "... which is written")

    is_(d.text("help save").splitlines()[2:4], ["  breakpoints FILE", "      write all breakpoints, catchpoints and watchpoints to a file as commands"],
        "help COMMAND lists subcommands with their arguments")
    like(d.text("help save br"), "^save breakpoints FILE\n    write all", "help COMMAND SUBCOMMAND describes one, also by a prefix")
    is_(d.error("help save brekpoints"), "unknown subcommand 'save brekpoints'; did you mean 'save breakpoints'?", "help for a misspelt one")
    is_(completed(d, "save b"), ["breakpoints"], "subcommands are completed")
    is_(completed(d, "help save b"), ["breakpoints"], "... behind help, too")
    is_(d.error("step now"), "invalid count 'now': expected a number, 1 or more", "a count that is none")
done()
