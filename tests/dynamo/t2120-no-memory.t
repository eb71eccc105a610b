#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Memory that runs out in the Dynamo plugin: the interpreter's allocations fail one after another while a command runs.
The process lives and answers.  CDBG_NOMEMORY_STEP and CDBG_NOMEMORY: see tests/lib/starve.py."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from starve import *  # noqa: E402,F403

need_torch()

LOOKS = ["info entries f", "info breaks f", "info guards f", "info graph 0/0", "info compiled", "explain f", "info resume f",
         "info overrides", "guard list f", "entry check 0/0 with x=x k=2",
         "decompile f", "break f", "catch compile", "info frame", "bt"]
CHANGES = ["guard drop k", "undo", "entry disable 0/0", "undo", "entry run 0/0 with x=x k=2"]

s = Session(compiled_program("eager"), "end = n", step=29)
survive(s, LOOKS)
survive(s, CHANGES)
s.end()
done()
