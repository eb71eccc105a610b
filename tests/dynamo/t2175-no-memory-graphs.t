#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Memory that runs out in commands on graphs, code and reports: the interpreter's allocations fail one after another while
a command runs.  The process lives and answers.  CDBG_NOMEMORY_STEP and CDBG_NOMEMORY: see tests/lib/starve.py."""
import os
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from starve import *  # noqa: E402,F403

need_torch()

with tempfile.TemporaryDirectory() as folder:
    patch = os.path.join(folder, "patch.asm")
    LOOKS = ["graph show 0/0", "graph code 0/0", "graph draw 0/0", "graph diff 0/0 0/0", "info code 0/0", "disassemble 0/0",
             "decompile 0/0", "explain f", "explain 0/0", "code save 0/0 %s/a.asm" % folder]
    RUNS = ["graph run 0/0 with x=x k=2", "graph memory 0/0 with x=x k=2", "graph save %s/g.py 0/0 with x=x k=2" % folder,
            "graph compare 0/0 with x=x k=2", "report %s/report f" % folder]
    # AOTAutograd frees an object of a closure twice where many allocations fail, without cdbg too (CPython 3.11, torch 2.13)
    COMPILES = ["graph recompile 0/0 with x=x k=2"]
    EDITS = ["code assemble " + patch, "code patch 0/0*2 = NOP", "code insert 0/0*2 NOP", "code insert 0/0*2 breakpoint", "undo"]
    s = Session(compiled_program("aot_eager"), "end = n", step=97)
    s.begin()
    s.d.do("code save 0/0 " + patch)
    survive(s, LOOKS)
    survive(s, RUNS, many=16)
    survive(s, COMPILES, many=0)
    survive(s, EDITS, many=16)
    s.end()
done()
