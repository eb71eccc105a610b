#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Any number of breakpoints and catchpoints at one instruction or one event: each has its condition and its counts.
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

with Cdbg("""
    def f(n):
        return n            # here
    def g(n):
        raise ValueError(n)
    for i in range(60):
        f(i)
        try:
            g(i)
        except ValueError:
            pass
    print("end")
""") as d:
    here = d.line_of("# here")
    for i in range(50):
        d.do("break %d if n == %d" % (here, i if i >= 45 else 1000))
    stops = [(d.go()["number"], d.rows("info locals")[0]["value"]) for _ in range(5)]
    is_(stops, [(46 + i, str(45 + i)) for i in range(5)], "the last five of 50 breakpoints on one line stop, each by its own condition")
    d.do("delete")

    for i in range(40):
        d.do("catch exception ValueError if n == %d" % (54 if i == 39 else 1000))
    is_(d.go()["number"], 90, "the last of 40 catchpoints of one kind stops")
    is_(d.rows("info locals")[0]["value"], "54", "... where its condition is true")
    d.do("delete")

    for i in range(40):
        d.do("tbreak %d" % here)
    is_(d.go()["number"], 91, "of 40 temporary breakpoints at one instruction the oldest stops")
    is_(d.rows("info breakpoints"), [], "... and all of them are deleted")

    for i in range(40):
        d.do("break %d" % here)
    d.go()
    is_([row["hits"] for row in d.rows("info breakpoints")], [1] * 40, "each of 40 breakpoints at one instruction counts the hit")
    for i in range(39):
        d.do("disable %d" % (131 + i))
    is_(d.go()["number"], 170, "the last one stops alone after the others are disabled")
    d.do("delete")
    d.run_out()
    is_(d.out, "end\n", "the program runs to its end")
done()
