#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The lines at which a breakpoint stops: of a file, of a part of it, of decompiled code; each of them does stop."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

PROGRAM = '''\
    """A program."""
    import os  # 2

    LIMIT = 3  # 4
    # a comment

    class Shape:  # 7
        """With a text."""
        sides = 4  # 9

        def area(self, a,  # 11
                 b=os.sep):  # 12
            """Another text."""
            if a:  # 14
                return (a +
                        1)  # 15, 16
            else:
                a = 2  # 18
            try:  # 19
                a += 1  # 20
            except ValueError:  # 21
                pass  # 22
            finally:
                a += 2  # 24
            return a  # 25
            a = 3

    def gone():  # 28
        return 1 if False else 2  # 29
    if 0:
        gone()
    print([n  # 32
           for n in range(2)], Shape().area(0))  # 32, 33
'''
with Cdbg(PROGRAM) as d:
    rows = d.rows("info lines " + d.path)
    lines = [r["line"] for r in rows]
    wanted = [2, 4, 7, 9, 11, 14, 15, 18, 20, 21, 22, 24, 25, 28, 29, 32]
    is_([n for n in wanted if n not in lines], [], "lines with code are listed")
    is_([n for n in lines if n in (3, 5, 6, 10, 13, 23, 26, 27, 31)], [], "others are not: comments, texts, what nothing reaches")
    is_({r["line"]: r["function"] for r in rows if r["line"] in (2, 9, 14, 28, 29)},
        {2: "<module>", 9: "Shape", 14: "Shape.area", 28: "<module>", 29: "gone"}, "with the function that stops there")
    is_([r["text"].strip() for r in rows if r["line"] == 20], ["a += 1  # 20"], "and their text")
    is_({r["file"] for r in rows}, {d.path}, "and their file")
    is_([r["line"] for r in d.rows("info lines prog.py:7-12")], [n for n in lines if 7 <= n <= 12], "a part of a file")
    is_([[r["line"] for r in d.rows("info lines %s" % w)] for w in ("prog.py:14", "prog.py:13", "prog.py:28-", "prog.py:900-910")],
        [[14], [], [n for n in lines if n >= 28], []], "one line, none, all to the end, none behind it")
    is_([r["line"] for r in d.rows("info lines")], lines, "without a file: that of the selected frame")
    like(d.error("info lines other.py"), "no file 'other.py' is loaded yet", "a file that is not loaded is called so")
    like(d.error("info lines Shape.area"), "no file 'Shape.area' is loaded", "a function is no file")
    made = {n: d.do("break prog.py:%d" % n)["breakpoint"] for n in lines}
    is_({n: (b["verified"], b["line"]) for n, b in made.items()}, {n: (True, n) for n in lines}, "a breakpoint on each is where it was asked for")
    python = d.rows("info lines Shape.area@python")
    is_([(r["function"], r["file"]) for r in python[:1]], [("Shape.area", None)], "decompiled code has lines, too")
    is_([d.do("break Shape.area@python:%d" % r["line"]).get("breakpoint", {}).get("note") for r in python], [None] * len(python),
        "at each a breakpoint is where it was asked for")
    is_([r["line"] for r in d.rows("info lines Shape.area@python:2-3")], [r["line"] for r in python if 2 <= r["line"] <= 3], "a part of them")
    d.do("delete")
    d.run_out()
done()
