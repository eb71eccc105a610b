#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# What compiling made of each source line: the same in the source pane's table and in the report.
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
helper = script("""
    import torch

    def scale(x, up):
        # a comment
        if up:
            y = x * 2

            return y + 1
        return x / 2
    """, "inlined_helper.py")
text = """
    import os
    import sys
    import torch

    sys.path.insert(0, %r)
    from inlined_helper import scale


    def f(x, flag):
        # what comes first

        y = scale(x, True)
        if flag:
            y = y - 1
        else:
            y = y * 3
        n = 3
        for i in range(n):
            y = y.sin()
        z = torch.cat(
            [y,
             y + 1],
        )
        print("eager")
        return z.cos()


    def g(x):
        for i in range(2):
            x = x + 1
            print("loop", i)
        return x


    cf, cg = torch.compile(f, backend="eager"), torch.compile(g, backend="eager")
    cf(torch.ones(3), False)
    cg(torch.ones(3))
    cf(torch.ones(3), False)
    """ % os.path.dirname(helper)


def marks(d, of=""):
    """{text of the line: (what, nodes)} of lines that have a mark"""
    return {r["text"].strip(): (r["compiled"], r.get("nodes")) for r in d.rows("info source " + of) if r.get("compiled")}


with Cdbg(text) as d:
    d.do("catch graph-break")
    d.go()
    m = marks(d)
    is_(m['print("eager")'], ("graph break", None), "at the break its line is marked")
    is_(m["y = y.sin()"], ("in the graph", 3), "... and the nodes so far are counted")
    d.go()
    is_(marks(d)['print("loop", i)'], ("graph break", None), "a break whose frame is skipped is marked, too")
    d.do("delete")
    d.do("break f")
    d.go()
    m = marks(d)
    is_(m, {"y = scale(x, True)": ("in the graph", 2), "if flag:": ("evaluated", None),
            "y = y - 1": ("not reached", None), "y = y * 3": ("in the graph", 1), "n = 3": ("evaluated", None),
            "for i in range(n):": ("evaluated", None), "y = y.sin()": ("in the graph", 3),
            "z = torch.cat(": ("in the graph", 1), "[y,": ("evaluated", None), "y + 1],": ("in the graph", 1),
            'print("eager")': ("graph break", None), "return z.cos()": ("in the graph", 1)},
        "each line with code has its mark, and no blank line, comment or other function")
    inlined = {"if up:": ("evaluated", None), "y = x * 2": ("in the graph", 1), "return y + 1": ("in the graph", 1)}
    is_(marks(d, helper), inlined, "lines of an inlined function have theirs")
    d.go("stepg")
    is_((d.frame["kind"], marks(d), marks(d, d.path)), ("graph", inlined, m), "in the graph's code they are the same")
    folder = os.path.join(os.path.dirname(helper), "report")
    d.do("report " + folder)
    with open(os.path.join(folder, "index.json")) as f:
        functions = {f["qualname"]: f for f in json.load(f)["functions"]}
    lines = {r["line"]: r for r in functions["f"]["lines"] if r["file"] == d.path}
    is_({text: (lines[d.line_of(text)].get("nodes"), lines[d.line_of(text)].get("breaks")) for text in m},
        {text: (nodes, 1 if what == "graph break" else None) for text, (what, nodes) in m.items()},
        "the report has the same lines, nodes and breaks")
done()
