#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Subcommands: prefixes, options, missing and extra arguments, help and completion all follow from one row of a table.
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
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

    is_(d.error("guard"), "'guard' needs a subcommand: list, why, eval, cost, drop, force, add, edit, restore", "those of a plugin")
    is_(d.error("guard drp 5"), "unknown subcommand 'guard drp'; did you mean 'guard drop'?", "a misspelt one of a plugin")
    is_(d.error("guard e 5"), "ambiguous subcommand 'guard e': eval, edit", "an ambiguous prefix")
    is_(d.error("guard drop"), "'guard drop' needs GUARD...|PATTERN; usage: guard drop [-r] GUARD...|PATTERN [in ENTRY]",
        "arguments that are missing are named")
    is_(d.error("guard drop -x 5"), "unknown option '-x' of 'guard drop'; usage: guard drop [-r] GUARD...|PATTERN [in ENTRY]",
        "an unknown option")
    like(d.error("guard drop 5 -r"), "^no guard '5'", "an option may come last")
    like(d.error("guard drop -r 5"), "^no guard '5'", "... or first")
    is_(d.error("guard add 0/0"), "'guard add' needs EXPR; usage: guard add ENTRY EXPR", "the second argument is missing")
    like(d.error("guard add 0/0 -n > -3"), "^no entry '0/0'", "an expression may begin with a minus")
    like(d.error("guard edit 5 in (2, 3)"), "^no guard '5'", "a value may begin with a word of another form")
    like(d.error("guard edit a in 0/0 to 3"), "^no entry '0/0'", "... which is taken where all of it is there")
    is_(d.error("entry disable 0/0 now"), "unexpected argument 'now' of 'entry disable'; usage: entry disable ENTRY", "one argument too many")
    is_(d.error("entry check 0/0 with"), "'entry check' needs NAME=EXPR...; usage: entry check ENTRY [with NAME=EXPR...]",
        "a word that needs others after it")
    is_(d.error("code patch *4"), "'code patch' needs =; usage: code patch [ENTRY]*OFFSET = INSTR", "a sign that is missing")
    like(d.error("code patch 0/0 *4=NOP"), "^no entry '0/0'", "no spaces are needed around =")
    is_(d.error("code patch 4 = NOP"), "invalid place '4': expected *OFFSET or ENTRY*OFFSET", "a place of another form")

    lines = d.text("help guard").splitlines()
    ok("  drop [-r] GUARD...|PATTERN [in ENTRY]" in lines, "help COMMAND lists subcommands with their arguments", lines)
    like(d.text("help guard drop"), r"^guard drop \[-r\] GUARD...\|PATTERN \[in ENTRY\]\n    stop checking guards\n", "help COMMAND SUBCOMMAND")
    is_(d.text("help gua dr"), d.text("help guard drop"), "both may be prefixes")
    is_(d.error("help guard drp"), "unknown subcommand 'guard drp'; did you mean 'guard drop'?", "help for a misspelt one")

    is_(completed(d, "guard r"), ["restore"], "subcommands are completed")
    is_(completed(d, "guard drop 5 i"), ["in"], "so are the words of a description, where they are possible")
    is_(completed(d, "guard force 5 t"), ["true"], "... one of several")
    is_(completed(d, "guard drop -"), ["-r"], "... options")
    is_(completed(d, "entry check 0/0 w"), ["with"], "... and words in brackets")
    is_(completed(d, "help guard c"), ["cost"], "help completes subcommands")
    while "status" not in d.go():
        pass
    like(d.error("guard drop 5"), "the program has ended", "a subcommand that changes something is refused after the end")
    ok(not (d.error("guard list") or "").startswith("the program has ended"), "one that only looks is not")
done()
