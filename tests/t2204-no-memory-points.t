#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Memory that runs out wherever cdbg's own code asks the interpreter for it: each way to an allocation fails once, in commands
that change Dynamo's cache.  The process lives, the entries stay, and the command works afterwards.  See tests/lib/starve.py."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *  # noqa: E402,F403
from starve import *  # noqa: E402,F403

need_torch()

PROG = """
    import sys
    import torch
    sys.path.insert(0, %r)
    import nomemory as nm

    def f(x, k):
        y = x * k
        if y.sum() > 0:
            y = y + 1
        return y
    f = torch.compile(f, backend="eager")

    def work(n):
        x = torch.ones(3)
        r = f(x, 2)
        r = f(x, 3)
        end = n
        return r

    while True:
        work(1)
""" % libraries

s = Session(PROG, "end = n")
survive_points(s, "guard drop k", after=["undo"])
survive_points(s, "undo", before=["guard drop k"])
survive_points(s, "entry disable 0/0", after=["undo"])
survive_points(s, "entry check 0/0 with x=x k=2")
survive_points(s, "entry run 0/0 with x=x k=2")
s.end()
done()
