#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Bad input: every mistake gets a clear line and loses nothing."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

PROG = """
    class Raises:
        def __repr__(self):
            raise RuntimeError("no repr today")
    class Loops:
        def __repr__(self):
            while True:
                pass
    class Prints:
        def __repr__(self):
            print("printed by repr")
            return "<prints>"
    class Huge:
        def __repr__(self):
            return "h" * 10000000
    class Exits:
        def __repr__(self):
            raise SystemExit(3)
    class Nul:
        def __repr__(self):
            return "a\\0b"
    class Wrong:
        def __repr__(self):
            return 5
    class NoAttr:
        def __getattribute__(self, name):
            raise AttributeError(name)
    def f(n):
        m = n
        return m
    raises, loops, prints, huge, exits, nul, wrong, noattr = Raises(), Loops(), Prints(), Huge(), Exits(), Nul(), Wrong(), NoAttr()
    many = list(range(10**6))
    deep = []
    for i in range(100000):
        deep = [deep]
    loop = []
    loop.append(loop)
    for i in range(5):
        f(i)
    print("end")
"""

with Cdbg(PROG) as d:
    last = d.line_of("f(i)")
    d.do("break %d" % last)
    d.go()

    # ---- commands ----
    for line, want, name in (
            ("frob", "unknown command 'frob'; 'help' lists the commands", "an unknown command"),
            ("frob the bar", "unknown command 'frob'", "an unknown command with words after it"),
            ("break", None, "break without a location is where we are"),
            ("break nosuch.py:3 junk", "junk", "words after a location"),
            ("break 99999", "99999", "a line that is not there"),
            ("break #", None, "half a location"),
            ("break *x", None, "an offset that is not a number"),
            ("break f if", None, "a condition without words"),
            ("break f if n >", "SyntaxError|syntax", "a condition that is not Python"),
            ("delete 77", "77", "a breakpoint that is not there"),
            ("delete x", "x", "a number that is not one"),
            ("condition 77 x", "77", "a condition for none"),
            ("ignore 1 x", "x", "a count that is not one"),
            ("info nosuch", "nosuch", "an unknown view"),
            ("help nosuch", "nosuch", "help for nothing"),
            ("set nosuch 1", "unknown option 'nosuch'", "an unknown option"),
            ("set repr-limit abc", "number", "an option's value that is not a number"),
            ("set repr-limit 1", "from 16", "a value out of range names the range"),
            ("set step-mode sideways", "region", "an invalid choice lists the valid ones"),
            ("set trace maybe", "on or off", "neither on nor off"),
            ("set var nosuch = 1", None, "a name the frame does not have"),
            ("set var x", None, "an assignment without a value"),
            ("set stack 0 = ", None, "a slot without a value"),
            ("set stack 99 = 1", "99", "a slot that is not there"),
            ("frame 99", "99", "a frame that is not there"),
            ("up 99x", None, "a count with letters"),
            ("thread 99", "99", "a thread that is not there"),
            ("catch nosuch", "nosuch", "a kind of event that is not one"),
            ("step 0", "0", "a step of none"),
            ("step -1", "-1", "a step of less"),
            ("jump 99999", "99999", "a jump to nowhere"),
            ("until nosuchfunction", "nosuchfunction", "a place to run to that is not there"),
            ("undisplay 5", "5", "a display that is not there"),
            ("source /nosuch/file", "/nosuch/file", "a file that is not there"),
            ("save breakpoints /nosuch/file", "/nosuch/file", "a file that cannot be written"),
            ("save", "'save' needs a subcommand: breakpoints", "save what?"),
            ("save breakpoints", "needs FILE; usage: save breakpoints FILE", "save where?"),
            ("restart now", "no arguments", "arguments where there are none"),
            ("quit x", "x", "a status that is not one"),
            ("disassemble nosuch", "nosuch", "code of a function that is not there"),
            ("list nosuch", "nosuch", "source of a function that is not there"),
            ("!", "statement", "nothing after !"),
            ("p", None, "print without an expression"),
            ("p (", "SyntaxError|never closed|unexpected", "half an expression"),
            ("p 1 +", "SyntaxError|syntax", "another half"),
            ("p nosuchname", "NameError.*nosuchname", "a name that is not there"),
            ("p 1/0", "ZeroDivisionError", "an expression that raises"),
            ("x = = 3", "SyntaxError|syntax", "a statement that is not Python"),
            ("raise SystemExit(4)", "SystemExit", "SystemExit raised by hand ends nothing"),
            ("import nosuchmodule", "ModuleNotFoundError", "an import that fails"),
            ("whatis 1/0", "ZeroDivisionError", "a type of what raises"),
            ("display 1 +", "SyntaxError|syntax", "a display that is not Python"),
            ("watch 1 +", "SyntaxError|syntax", "a watch that is not Python"),
            ("x" * 100000, "unknown command|NameError", "a very long word"),
            ("p '" + "\u20ac" * 30000, "SyntaxError|unterminated", "a very long string without its end")):
        error = d.error(line)
        if want is None:
            ok(error is None or len(error) > 10 and error[0] != " ", name, error)
        else:
            like(error, "(?i)" + want, name)
    like(d.error("commands 77"), "no breakpoint '77'", "commands for no breakpoint are refused at once")
    is_(d.do("print 1 + 1")["text"].strip(), "2", "and the next line is a command again")
    is_(d.text("p i"), "0", "the program is stopped where it was")
    is_(d.frame["line"], last, "at the same line")

    # ---- values ----
    like(d.error("p raises"), "RuntimeError: no repr today", "a repr that raises is reported with what it raised")
    d.do("p prints")
    like(d.out, "printed by repr", "what a repr prints is the program's output")
    r = d.text("p huge")
    ok(len(r) < 3000 and "hhh" in r, "a long repr is cut", len(r))
    like(r, "repr-limit", "and says by what")
    like(d.error("p exits"), "SystemExit", "a repr that calls sys.exit ends nothing")
    ok("a" in d.text("p nul"), "a repr with a NUL in it is shown")
    like(d.error("p wrong"), "TypeError", "a repr that gives no text is reported")
    d.cmd("p noattr")
    d.cmd("whatis noattr")
    is_(d.text("p 1"), "1", "an object that refuses every attribute hurts nobody")
    d.send("p loops")
    d.send("interrupt")
    r = d.answer("p loops")
    is_((r["ok"], "KeyboardInterrupt" in r.get("error", "")), (False, True), "a repr that loops is ended by interrupt")
    d.answer("interrupt")
    r = d.text("p many")
    ok(len(r) < 3000 and r.startswith("[0, 1, 2"), "a list of a million is cut", len(r))
    d.cmd("p deep")
    d.cmd("p loop")
    ok(len(d.rows("info locals")) > 10, "all of them are in info locals as summaries")
    is_(d.text("p i"), "0", "the program is still stopped where it was")

    # ---- conditions and displays that fail ----
    d.do("delete")
    d.do("break f if 1 / n")
    d.go()
    is_((d.reason, d.text("p n")), ("breakpoint", "0"), "a condition that raises stops")
    ok(any("ZeroDivisionError" in n["text"] for n in d.notes), "and says what it raised", d.notes)
    d.do("display 1 / (n - 1)")
    d.go()
    is_(d.text("p n"), "1", "a condition that is true stops as ever")
    r = d.rows("info display")
    like(str(r), "ZeroDivisionError", "a display that raises shows what it raised")
    d.do("undisplay 1")
    d.do("delete")
    d.do("break f if raises")
    is_(d.go()["reason"], "breakpoint", "a condition that is an object with a bad repr is just true")
    d.do("delete")
    is_(d.run_out()["status"], 0, "the program runs to its end")
    is_(d.out.splitlines()[-1], "end", "with its result")

# ---- the plain front end ----

status, out, err = run(PROG, options=["-q"], commands=["frob", "break nosuch.py:1", "p 1/0", "display 1/0", "n", "info nosuch", "c"])
like(out, "error: unknown command 'frob'", "at the prompt errors are lines that begin with error:")
like(out, "error: ZeroDivisionError", "with what an expression raised")
like(out, "1: 1/0 = .*ZeroDivisionError", "a display that raises is shown so at each stop")
is_((status, err), (0, ""), "and the program's status and standard error are its own")

status, out, err = run("nosuch.py", options=["-q"])
is_(status, 2, "a script that does not exist: status 2")
like(err, r"can't open file '.*nosuch.py': \[Errno 2\] No such file", "in Python's words")

# ---- the program's own ways out ----

for text, want, name in (("import sys; sys.exit(3)", 3, "sys.exit"), ("import os; os._exit(4)", 4, "os._exit"),
                         ("import os; os.abort()", -6, "abort"), ("import sys; sys.stdin.close(); x = 1", 0, "a closed stdin"),
                         ("import os; os.close(0); os.close(1); os.close(2)", 0, "closed descriptors")):
    status, out, err = run(text + "\n", options=["-q"], commands=["next", "next", "next"])
    is_(status, want, name + " by the prompt: the status is its own")
done()
