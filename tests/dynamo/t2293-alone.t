#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A breakpoint in generated code is hit as often when it is the only one, and its frame gets few events, as when every
# instruction of that code has one.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import torch

    @torch._dynamo.disable(recursive=False)
    def helper(x):
        return x

    @torch.compile(backend="eager")
    def f(a, b):
        x = a / (torch.abs(a) + 1)
        if b.sum() < 0:
            b = b * -1
        y = [helper(x)]
        for i in range(2):
            y.append(y[-1] + i)
        with torch.no_grad():
            z = y[-1] * b
            torch._dynamo.graph_break()
            z = z + 1
        return x * z

    def mark(k):
        return k

    ones, minus, plus = torch.ones(3), -torch.ones(3), torch.ones(3)
    for i in range(3):
        f(ones, plus), f(ones, minus)
    k = 0
    while mark(k) < 10 ** 6:
        k += 1
        f(ones, minus), f(ones, plus)
"""
MANY = 100000


def hits(d, places):
    """How often each breakpoint at these places is hit in one round of the loop."""
    d.do("delete")
    for place in places:
        d.do("break " + place)
    numbers = [r["number"] for r in d.rows("info breakpoints")]
    for n in numbers:
        d.do("ignore %d %d" % (n, MANY))
    d.do("tbreak mark")
    d.go()
    left = {r["number"]: r["ignore"] for r in d.rows("info breakpoints")}
    return [MANY - left[n] for n in numbers]


with Cdbg(PROGRAM) as d:
    d.do("break mark")
    d.go()
    entries = [r["entry"] for r in d.rows("info entries")]
    ok(len(entries) > 3, "the function has resume functions", entries)
    for entry in entries:
        places = ["%s*%d" % (entry, r["offset"]) for r in d.rows("info code " + entry)]
        together = dict(zip(places, hits(d, places)))
        some = places[int(entry[0]) % 5::5]
        alone = {place: hits(d, [place])[0] for place in some}
        ok(any(together.values()), "the code of %s runs" % entry)
        is_(alone, {place: together[place] for place in some}, "each breakpoint in %s is hit alone as together" % entry)
    d.do("kill")
done()
