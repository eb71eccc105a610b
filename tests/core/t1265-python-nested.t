#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Decompiled lines of a function within a function: their instructions are another code object's.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

with Cdbg('''
    def outer(a):
        x = a + 1

        def inner(b):
            y = b * x
            z = y - 1
            return z
        w = inner(x)
        return w + x


    outer(2)
    print("end")
''') as d:
    d.do("break outer")
    d.go()
    rows = {r["text"].strip(): r for r in d.rows("decompile")}
    inner = [rows[t] for t in ("y = b * x", "z = y - 1", "return z")]
    is_([r["offset"] for r in inner], [None] * 3, "lines of the inner function have no instruction of the outer one")
    is_([r["user_line"] for r in inner], [None] * 3, "nor a line of its source")
    is_([rows[t]["user_line"] for t in ("x = a + 1", "w = inner(x)", "return w + x")], [2, 8, 9], "the outer lines have theirs")
    spans = [(r["index"], r["end"]) for r in rows.values() if r["index"] is not None]
    ok(all(a[1] <= b[0] for a, b in zip(spans, spans[1:])), "no instruction belongs to two lines", spans)
    like(d.do("break outer@python:%d" % rows["y = b * x"]["line"])["text"], r"has no code: using line %d instead" % rows["w = inner(x)"]["line"],
         "a breakpoint on an inner line is set on the next outer one")
    d.do("set step-mode python")
    is_(d.go()["frame"]["line"], 8, "and stops there")
    d.do("delete")
    d.do("break inner")
    is_(d.go()["frame"]["function"], "inner", "within the inner function")
    is_([r["user_line"] for r in d.rows("decompile")][1:], [5, 6, 7], "its own lines count")
done()
