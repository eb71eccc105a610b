#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A table that is sent in parts: rows are whole and in order, and those that repeat the row above have its values."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

COUNT = 6000


def value(i):
    return ("True", "7", "'%s'" % ("x" * 90), "'%d'" % i)[i // 3 % 4]


PROGRAM = "def f():\n%s    return v0\nf()\n" % "".join("    v%d = %s\n" % (i, value(i)) for i in range(COUNT))
with Cdbg(PROGRAM) as d:
    d.do("break %d" % (COUNT + 2))
    d.go()
    rows = d.rows("info locals")
    ok([r["name"] for r in rows] == ["v%d" % i for i in range(COUNT)], "a table of 6,000 rows has each row once, in order")
    ok(all(r["value"] == value(i) for i, r in enumerate(rows)), "each row has its own value")
    again = d.rows("info locals")
    ok(again == rows, "the same table is sent the same again")
    ok(d.text("print v5999") == value(5999), "the next reply is whole, too")

done()
