#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Commands that look: list, ll, disassemble, print, pp, whatis, display, backtrace, up, down, frame."""
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

PROG = """
    import functools


    class Loud:
        def __repr__(self):
            raise RuntimeError("broken repr")


    def leaf(n):
        values = {"n": n, "list": [1, 2, 3]}
        loud = Loud()
        return n


    def keyed(n):
        return sorted([n], key=lambda k: leaf(k))


    def recurse(n):
        if n:
            return recurse(n - 1)
        return keyed(n)


    top = recurse(2)
    # the end
    print(top)
"""

with Cdbg(PROG) as d:
    like(d.text("list"), r"^ *1 .*->  import functools", "list at the start has the first line and the arrow")
    d.do("break leaf")
    d.do("break %d" % (d.line_of("loud = Loud()") + 1))
    d.go()
    line = d.line_of('values = {"n"')
    text = d.text("list")
    like(text, r"^ *%d B->  +values = " % line, "list marks the current line and a breakpoint")
    is_(len(text.rstrip("\n").split("\n")), 11, "it shows eleven lines")
    like(text, r"\A *%d " % (line - 5), "five of them before the current one")
    like(d.text("list"), r"\A *%d " % (line + 6), "list again continues where it ended")
    like(d.text("list ."), r"^ *%d B->" % line, "list . goes back to the current line")
    like(d.text(""), r"\A *%d " % (line + 6), "an empty line continues listing")
    d.do("list .")
    is_([t.split()[0] for t in d.text("list -").rstrip("\n").split("\n")], ["1", "2", "3", "4"], "list - shows what is before")
    like(d.error("list -"), "start of the file", "before the first line there is nothing")
    is_([t.split()[0] for t in d.text("list 4,6").rstrip("\n").split("\n")], ["4", "5", "6"], "list A,B shows those lines")
    is_([t.split()[0] for t in d.text("list 4, 2").rstrip("\n").split("\n")], ["4", "5", "6"], "a last line before the first is a count")
    like(d.text("list recurse"), r"\A *%d +def recurse" % d.line_of("def recurse"), "list FUNC shows that function")
    like(d.text("list prog.py:%d" % d.line_of("# the end")), "# the end", "list FILE:LINE shows the lines around it")
    like(d.error("list 1000"), "has %d lines" % len(open(d.path).readlines()), "a line past the end is refused with the number of lines")
    like(d.error("list nobody"), "nobody", "list of no function is refused by name")
    text = d.text("ll")
    like(text, r"\A *%d +def leaf\(n\):" % d.line_of("def leaf"), "ll begins at the function's first line")
    like(text, r"return n\n?\Z", "ll ends at its last")
    like(d.text("list ."), r"^ *%d B->" % line, "list . is where it was")
    d.do("ll")
    like(d.text("list"), r"\A *%d " % (line + 6), "ll leaves alone where list continues")
    like(d.text("ll recurse"), r"return keyed\(n\)\n?\Z", "ll FUNC shows that function whole")

    text = d.text("disassemble")
    like(text, r"\Acode of leaf, \d+ instructions$", "disassemble says whose code it is, and how long")
    like(text, r"^=>B? +.*%d +line %d" % (d.frame["offset"], line), "the next instruction has the arrow, its offset and line")
    like(text, r'values = \{"n": n', "each line's source is next to its first instruction")
    like(text, r"RETURN_VALUE", "its names are those of dis")
    like(d.text("disas keyed"), r"\Acode of keyed, ", "disassemble FUNC shows that function")
    like(d.error("disassemble -o"), "not generated from other code", "code of the program's own has no original beside it")
    like(d.error("disassemble -z"), "unknown option '-z' of 'disassemble'; usage: disassemble", "an unknown option is refused")

    is_(d.text("print n + 40"), "40", "print shows a value")
    is_(d.text("p [n] * 3"), "[0, 0, 0]", "p is print")
    like(d.error("print 1 / 0"), "ZeroDivisionError: division by zero", "print of what raises says what it raised")
    like(d.error("print 1 +"), "SyntaxError", "print of no expression says the syntax error")
    like(d.error("print"), "missing expression: 'print EXPR'", "print alone is refused")
    like(d.text("print 'x' * 100000"), r"'xxx.*\.\.\. \(first \d+ bytes: 'set repr-limit' for more\)\Z",
         "a long value is bounded, and the bound is reported")
    d.do("set repr-limit 50")
    ok(len(d.text("print list(range(10 ** 6))")) < 150, "set repr-limit moves the bound")
    d.do("set repr-limit 100000")
    is_(d.text("print 'x' * 1000"), repr("x" * 1000), "a higher bound shows all of it")
    like(d.text("pp {k: 'v' * 30 for k in range(4)}"), r"^ 1: 'v", "pp shows a container over several lines")
    like(d.text("whatis n"), r"^int: 0", "whatis says type and summary")
    like(d.text("whatis leaf"), r"^function: .*leaf", "whatis of a function")
    d.go()
    like(d.error("print loud"), "RuntimeError: broken repr", "a repr that raises is an error, not a crash")
    like(d.text("whatis loud"), r"^Loud: <__main__\.Loud at", "whatis does not run it")
    is_(d.text("print values['list']"), "[1, 2, 3]", "expressions see the frame's names")

    is_(d.cmd("where")["rows"], d.rows("info frames"), "machines get every frame")
    like(d.error("bt x"), "invalid count 'x'", "bt of something else is refused")
    d.do("up")
    is_([r["function"] for r in d.rows("info frames") if r["current"]], ["<lambda>"], "up selects the caller")
    d.do("up 2")
    is_(d.text("print n"), "0", "up N goes so many frames, and names are those of the frame there")
    d.do("down")
    is_([r["function"] for r in d.rows("info frames") if r["current"]], ["keyed"], "down comes back in")
    like(d.text("frame 3"), r"\A#3 +recurse at .*\n.*-> +return keyed\(n\)", "frame N selects by level and shows where it is")
    like(d.text("list"), r"->", "list goes to the selected frame")
    like(d.error("frame 99"), "no frame '99': expected 0 to 6", "a level that does not exist is refused with what there is")
    d.do("frame 6")
    like(d.error("up"), "outermost", "up from the outermost is refused")
    d.do("frame 0")
    like(d.error("down"), "innermost", "down from the innermost is refused")

    like(d.text("display n"), r"1: n = 0", "display shows the expression at once")
    like(d.error("display n +"), "SyntaxError", "a display that is not an expression is refused")
    d.do("display values['n']")
    d.do("undisplay 1")
    is_([r["number"] for r in d.rows("info display")], [2], "undisplay N deletes it, the others keep their numbers")
    d.do("undisplay values['n']")
    is_(d.rows("info display"), [], "undisplay EXPR deletes it by its text")
    like(d.error("undisplay 7"), "no display 7", "undisplay of none is refused")
    d.do("delete")
    d.run_out()
    is_((d.out, d.exited["status"]), ("[0]\n", 0), "the program's result is untouched")
    like(d.text("list 1,2"), "import functools", "sources can be listed after the end")

status, out, err = run(PROG, commands=["break leaf", "display n * 2", "continue", "stack", "bt", "frame 3", "bt 2", "bt -1",
                                       "down", "disassemble leaf", "detach"])
like(out, r"^1: n \* 2 = 0", "a stop shows the displays to a person")
like(out, r"the value stack is empty", "an empty stack is reported")
rows = re.findall(r"^(=>|  ) #(\d+) +(\S+) at .*prog\.py:(\d+)$", out, re.M)
is_([(r[1], r[2]) for r in rows[:7]], [("0", "leaf"), ("1", "<lambda>"), ("2", "keyed"), ("3", "recurse"), ("4", "recurse"),
                                      ("5", "recurse"), ("6", "<module>")], "bt has a row a call, recursion too, innermost first")
is_([r[0] for r in rows[:2]], ["=>", "  "], "an arrow marks the selected one")
is_([r[1] for r in rows[7:]], ["0", "1", "6"], "bt N shows the innermost N, bt -N the outermost")
like(out, r"^\(5 more\)$", "and says how many more there are")
like(out, r"^#2 +keyed at ", "down shows the frame that it selects")
done()
