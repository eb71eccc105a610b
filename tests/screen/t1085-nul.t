#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# NUL characters and lone surrogates: no command line ends at one, no text of the program loses what follows.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

PROGRAM = '''
    class R:
        def __repr__(self):
            return "before\\0after"
    class S:
        def __repr__(self):
            return "before\\ud800after"
    class E(Exception):
        pass
    def fails(text):
        raise E(text)
    def odd(n):
        return n
    odd.__code__ = odd.__code__.replace(co_name="odd\\0name\\udcff")
    globals()["nul\\0name"] = 1
    globals()["sur\\ud800name"] = 2
    x = 1
    r, s = R(), S()
    odd(2)
    fails("one\\0two\\ud800three")
'''
path = script(PROGRAM)
stop = line_of(path, "odd(2)")

# ---- commands ----

for what, command in [("print", b"print 1\0 + x"), ("an expression", b"x + 1\0 + 1"), ("a statement", b"x = 7\0"),
                      ("a command", b"detach\0ed"), ("a lone NUL", b"\0"), ("a NUL at the start", b"\0print 5")]:
    data = b"break %d\ncontinue\n" % stop + command + b"\nprint x\nquit\n"
    status, out, err = run(path, input=data.decode())
    like(out, r"^error: this line was not run: it contains a NUL character$", "plain: a line with %s and NUL is refused" % what)
    unlike(out, r"^[257]$|detached", "and no part of it runs (%s)" % what)
    like(out, r"^1$", "the next line does (%s)" % what)

rc = os.path.join(os.path.dirname(path), "commands")
with open(rc, "wb") as f:
    f.write(b"print 41 + 1\nprint 43\0 + x\nprint 44\n")
status, out, err = run(path, commands=["source " + rc, "quit"])
like(out, r"^42$.*\n(.*\n)*error: .*NUL(.*\n)*44$", "source refuses such a line of a file, and runs the others")
unlike(out, "^43$", "not half of it")

with Cdbg(path) as d:
    d.do("break %d" % stop)
    d.go()
    reply = d.cmd("print 1\0 + x")
    like(reply.get("error"), "contains a NUL", "JSON: a command with NUL is refused")
    is_(reply["reply"], "print 1\0 + x", "and the reply repeats it as it was sent")
    d.do("commands 1")
    like(d.error("print 5\0"), "NUL", "so is a line of commands")
    d.do("end")

    # ---- texts ----

    is_(d.text("print r"), "before\\x00after", "a repr does not end at a NUL")
    is_(d.text("print s"), "before\\ud800after", "nor does a lone surrogate drop it")
    is_(d.text("pp r"), "before\\x00after", "the same by pp")
    is_(d.text("pp s"), "before\\ud800after", "also with a surrogate")
    is_(d.text("print [r, {'k': s}]"), "[before\\x00after, {'k': before\\ud800after}]", "and inside of containers")
    is_(d.text("(r)"), "before\\x00after", "the same for an expression")
    is_(d.text("python s"), "before\\ud800after", "and for the command python")
    is_(d.error("print fails('a\\0b\\ud800c')"), "E: a\\x00b\\ud800c", "an error's text is whole")
    is_(d.error("fails('\\ud800')"), "E: \\ud800", "also where it is nothing else")
    is_(d.error("print int('1\\0')"), "ValueError: invalid literal for int() with base 10: '1\\x00'", "and that of a builtin")
    names = {row["name"]: row["value"] for row in d.rows("info locals")}
    is_(names.get("nul\\x00name"), "1", "a name with NUL is among the locals")
    is_(names.get("sur\\ud800name"), "2", "so is one with a surrogate")
    d.go("step")
    is_(d.frame["function"], "odd\\x00name\\udcff", "a function's name is whole")
    is_(d.rows("info frames")[0]["function"], "odd\\x00name\\udcff", "in every view")
    d.do("catch exception E")
    stop = d.go()
    is_(stop.get("message"), "one\\x00two\\ud800three", "the text of a caught exception is whole")

status, out, err = run(path, commands=["catch exception E", "continue", "info breakpoints", "quit"])
like(out, r"^stopped: exception E: one\\x00two\\ud800three$", "a person reads it, too")

with Screen(path, options=["-q"]) as s:
    s.line("print 4\x16\x00 + 1")
    like(s.text, r"\(cdbg\) print 4 \+ 1\n *5\n", "full screen: the line that is run is the line that was seen")
done()
