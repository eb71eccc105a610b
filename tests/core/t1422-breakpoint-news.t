#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A program knows where a breakpoint is: from the reply that sets it, and when it is no longer pending."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

path = script("""
    import os
    os.stat(".")
    import later
    later.g(1)
    def f():
        return 1

    def h():
        return f()
    h()
""")
folder = os.path.dirname(path)
script("""
    # the first

    def g(n):
        return n
""", "later.py", folder)

class Told(Cdbg):
    def __init__(self, *args, **more):
        self.news = []
        super().__init__(*args, **more)

    def next(self):
        o = super().next()
        if o.get("event") == "breakpoint":
            self.news.append(o)
        return o

    def short(self):
        return [(o["number"], o.get("verified"), os.path.basename(o.get("file") or ""), o.get("line")) for o in self.news]


def said(reply):
    b = reply["breakpoint"]
    return (b["number"], b["verified"], os.path.basename(b["file"] or ""), b["line"], b.get("note"))


with Told(path, cwd=folder) as d:
    is_(said(d.do("break 6")), (1, True, "prog.py", 6, None), "a reply says where the breakpoint is")
    is_(said(d.do("break 7")), (2, True, "prog.py", 8, "line 7 has no code: using line 8 instead"), "which may be another line")
    is_(said(d.do("break later.py:5")), (3, False, "later.py", 5, None), "or where it will be")
    is_(said(d.do("tbreak later.py:4")), (4, False, "later.py", 4, None), "also a temporary one")
    is_(said(d.do("break later.g")), (5, False, "", None, None), "a function that does not exist has no line")
    is_(said(d.do("dprintf later.py:2, n")), (6, False, "later.py", 2, None), "a logpoint, too")
    is_(d.news, [], "what a reply reports is not reported again")
    d.do("delete 3")
    is_(d.news, [], "nor is what a command deletes")
    d.do("disable 1")
    is_(d.go()["number"], 4, "the module is loaded")
    is_(d.short(), [(4, True, "later.py", 4), (5, True, "later.py", 4), (6, True, "later.py", 3)],
        "each that was pending is reported, with the line that is used")
    is_(d.news[0]["type"] + " " + d.news[2]["type"], "breakpoint logpoint", "with its type")
    d.news.clear()
    saved = os.path.join(folder, "saved")
    with open(saved, "w") as f:
        f.write("break f\nenable 1\ncondition 1 False\n")
    d.do("source " + saved)
    d.do("print 0")
    is_(d.short(), [(1, True, "prog.py", 6)], "what the lines of a file change is reported")
    d.do("delete")
    d.run_out()
done()
