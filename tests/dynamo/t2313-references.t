#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Views keep no reference to the code that they show: Dynamo and torch can free it."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
PROGRAM = """
    import sys
    import torch

    def references():
        "The number of references to the code of each running frame."
        frame, counts = sys._getframe(1), []
        while frame:
            if "torch" not in frame.f_code.co_filename and frame.f_code.co_name != "<module>":
                counts.append((frame.f_code.co_name, sys.getrefcount(frame.f_code)))
            frame = frame.f_back
        return counts

    def f(x):
        y = x * 2
        return y.relu()
    c = torch.compile(f, backend="eager")
    x = torch.ones(3)
    for i in range(3):
        c(x)
    """
LOOKS = ["info links", "info graph", "info kernel", "info guards", "info entries", "info code", "info asm", "info python", "info stack",
         "info locals", "info frame", "bt", "guard why", "entry check", "decompile", "explain", "graph show", "disassemble"]

with Cdbg(PROGRAM, limit=200) as d:
    d.do("break f")
    for place, line in (("generated code", "continue"), ("generated code again", "continue"), ("the graph", "break node:y")):
        if line == "continue":
            d.go()
        else:
            d.do(line)
            d.go()
        before = d.text("print __import__('__main__').references()")
        for look in LOOKS:
            for i in range(3):
                d.cmd(look)
            now = d.text("print __import__('__main__').references()")
            is_(now, before, "%s: '%s' keeps none" % (place, look))
            before = now
done()
