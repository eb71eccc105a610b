#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# 'report diff' and functions that got another name, moved in their file, or share their name with others.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from reports import *

need_torch()
PROGRAM = '''
    import torch

    class Net(torch.nn.Module):
        def forward(self, x):
            x = x.relu()
            return x.tanh() + 3

    def first(x, n):
        """Has a graph break and a resume function."""
        if n == 0:
            return x
        y = x.sin() * n
        print("break")
        if n > 3:
            y = first(y, 0)
        return y.cos() + 1

    def short(x):
        return x + 1

    def alike_a(x):
        y = x - 1
        return y.exp()

    def alike_b(x):
        y = x - 1
        return y.exp()

    def once(x):
        a = x * 2
        b = a.sin()
        c = b.cos()
        return c - 3

    for fn in Net(), first, short, alike_a, alike_b, once:
        g = torch.compile(fn, backend="eager", dynamic=False)
        for n in (2, 4) if fn is first else ((),):
            g(torch.ones(3), *((n,) if n else ()))
'''


def write(name, *changes, lines=""):
    """A report of the program after (old, new) changes, and with more lines at its begin."""
    text = PROGRAM
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return report(script(lines + text if lines else text, "prog.py"), name)[3]


def diff(before, after):
    """The lines that name functions of the program; on a loaded machine any two runs may differ in time."""
    status, out, err = run("print()\n", commands=["report diff %s %s" % (before, after)])
    if "nothing changed" in out:
        return []
    lines = [l for l in out.splitlines() if re.match(r"(function|new function|Net|Model|first|second|third|short|brief|alike|once|twice|forward)", l)]
    return [l for l in lines if "compile time" not in l] if lines else [out + err]


import re
base = write("base")
is_(diff(base, base), [], "a report and itself")
moved = write("moved", lines="    # a line\n" * 40)
is_(diff(base, moved), [], "lines inserted above functions change nothing, also for resume functions")

renamed = write("renamed", ("first", "second"))
is_(diff(base, renamed), ["function renamed from first to second: its source is the same"],
    "a function that calls itself and has resume functions got another name: its entries are compared, and are the same")
is_(diff(renamed, base), ["function renamed from second to first: its source is the same"], "and the other way round")
both = write("both", ("first", "second"), lines="    # a line\n" * 40)
is_(diff(base, both), ["function renamed from first to second: its source is the same"], "one that moved, too")

edited = write("edited", ("first", "second"), ("x.sin()", "x.cos()"))
said = diff(base, edited)
is_(said[0], "function renamed from first to second: 8 of 9 lines of its source are the same", "a name and one line changed")
like("\n".join(said[1:]), r"^second, entry \d/0: graph changed: captured has \w+ cos\(.*instead of sin\(", "what changed in its entries follows")
unlike("\n".join(said), r"gone|new ", "... and none of them is called new or gone")

is_(diff(base, write("net", ("Net", "Model"))), ["function renamed from Net.forward to Model.forward: its source is the same"], "a class got another name")
is_(diff(base, write("short", ("short", "brief"))), ["function renamed from short to brief: its source is the same"], "a function of one line, whole as it was")
said = diff(base, write("brief", ("short", "brief"), ("    return x + 1\n", "    return x - 1\n")))
is_(said, ["function gone: short", "new function: brief, compiled"], "another line in a function of two is another function")
said = diff(base, write("alike", ("alike_a", "alike_x"), ("alike_b", "alike_y")))
is_(sorted(said), sorted(["function gone: alike_a", "function gone: alike_b", "new function: alike_x, compiled", "new function: alike_y, compiled"]),
    "two alike got other names: which is which is not known, and not said")
said = diff(base, write("half", ("once", "twice"), ("b = a.sin()", "b = a.tan()"), ("c = b.cos()", "c = b.exp()")))
is_(said, ["function gone: once", "new function: twice, compiled"], "with half of its lines it is another function")
said = diff(base, changed(renamed, "elsewhere", lambda d: [f.update(file="/other.py") for f in d["functions"] if f["qualname"] == "second"]))
is_(said, ["function gone: first", "new function: second, compiled"], "in another file, too")

MADE = '''
    import torch
    for name, op in %s:
        names = {"torch": torch}
        exec("def %%s(x):\\n    y = x.%%s()\\n    z = y * 2\\n    return z.sum()\\n" %% (name, op), names)
        torch.compile(names[name], backend="eager")(torch.ones(3))
'''
exec_a = report(script(MADE % [("once", "sin"), ("short", "cos")]), "exec-a")[3]
exec_b = report(script(MADE % [("twice", "sin"), ("brief", "exp")]), "exec-b")[3]
is_(diff(exec_a, exec_b), ["function gone: short", "function renamed from once to twice: its graphs are the same", "new function: brief, compiled"],
    "without source the graphs tell")

same_a = report(script(MADE % [("forward", "sin"), ("forward", "cos"), ("forward", "exp")]), "same-a")[3]
is_(diff(same_a, same_a), [], "three functions of one name and file: each is compared with its own")
SOURCES = '''
    import torch
    def make(k):
        if k == 0:
            def forward(x):
                return x.sin()
        elif k == 1:
            def forward(x):
                return x.cos()
        else:
            def forward(x):
                return x.exp()
        forward.__qualname__ = "forward"
        forward.__code__ = forward.__code__.replace(**{"co_qualname": "forward"} if hasattr(forward.__code__, "co_qualname") else {})
        return forward
    for k in %s:
        torch.compile(make(k), backend="eager")(torch.ones(3))
'''
three, two = (report(script(SOURCES % k), "name%d" % len(k))[3] for k in ([0, 1, 2], [1, 2]))
is_(diff(three, two), ["function gone: forward"], "the first of three of one name is gone, the others are found by their source")
done()
