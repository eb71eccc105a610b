#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Resume functions that share one name have names of their own where code is decompiled, and these can be typed."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
with Cdbg("""
    import torch

    class Net(torch.nn.Module):
        def forward(self, x):
            y = x * 2
            if y.sum() < 0:
                y = y - 1    # negative
            print("shown")   # positive
            return y + 1

    net = torch.compile(Net(), backend="eager")
    net(torch.ones(2))
    net(-torch.ones(2))
    print("end")  # stop
""") as d:
    d.do("break %d" % d.line_of("# stop"))
    d.go()
    negative, positive = d.line_of("# negative"), d.line_of("# positive")
    rows = {r["entry"]: r for r in d.rows("info entries")}
    entry = next(e for e in rows if rows[e]["qualname"] == "Net.forward (resumed at line %d)" % negative)
    own = d.text("decompile 0/0")
    names = dict(l[2:].split(" is ", 1) for l in own.splitlines() if l.startswith("# __resume"))
    is_(sorted(n.split(",")[0] for n in names.values()), ["Net.forward (resumed at line %d)" % n for n in sorted((negative, positive))],
        "below generated code, the resume functions that it calls have the names of 'info entries'")
    is_([n for n in names if own.count(n) < 2], [], "each of these is called in the text")
    ok("Net.forward (resumed at line %d), entry %s" % (negative, entry) in names.values(), "with the entry that runs")
    same = d.text("decompile %s" % entry)
    is_(d.text("decompile Net.forward (resumed at line %d)" % negative), same, "the name can be typed")
    is_(d.text("decompile %s" % next(n for n in names if entry in names[n])), same, "so can the one in the code")
    said = d.error("decompile %s" % rows[entry]["function"])
    for line in negative, positive:
        like(said, r"Net\.forward \(resumed at line %d\), entry \d/\d" % line, "a name that several share lists each, with its entry: line %d" % line)
    is_(d.error("break Net.forward (resumed at line %d)" % negative), None, "a breakpoint takes the name, too")
    d.run_out()
done()
