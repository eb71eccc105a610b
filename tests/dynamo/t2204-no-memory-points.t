#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Memory that runs out wherever cdbg's own code asks the interpreter for it: each way to an allocation fails once, in commands
that change Dynamo's cache.  The process lives, the entries stay, and the command works afterwards.  See tests/lib/starve.py."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from starve import *  # noqa: E402,F403

need_torch()

s = Session(compiled_program("eager"), "end = n")
survive_points(s, "guard drop k", after=["undo"])
survive_points(s, "undo", before=["guard drop k"])
survive_points(s, "entry disable 0/0", after=["undo"])
survive_points(s, "entry check 0/0 with x=x k=2")
survive_points(s, "entry run 0/0 with x=x k=2")
s.end()
done()
