#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Errors point to explain where nothing is compiled: there it answers, with what Dynamo is to compile.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = '''
    import torch

    def f(x):
        return x + 1

    def never():
        pass

    g = torch.compile(f, backend="eager")
    never()
    with torch.compiler.set_stance("force_eager"):
        g(torch.ones(3))
    never()
    g(torch.ones(3))
    never()
'''
with Cdbg(PROGRAM, limit=180) as d:
    is_(d.text("explain"), "Dynamo has compiled no function yet.", "before torch is imported, explain says that nothing is compiled")
    d.do("break never")
    d.go()
    like(d.error("graph code"), r"no graph was captured: 'explain' tells why", "an error points to explain")
    like(d.text("explain"), r"^Dynamo has compiled no function yet\.\nIt compiles f, .*prog\.py:3, at its first call\.$",
         "which names the function that is to be compiled")
    like(d.error("explain never"), r"never", "a function that torch.compile was not called with is reported by its name")
    d.go()
    unlike(d.text("explain"), "''", "after a call that the stance keeps from Dynamo, it answers, too")
    d.go()
    like(d.text("explain"), r"This is a function optimized by Dynamo", "once it is compiled, explain describes it")
    d.run_out()
    like(d.text("explain"), r"This is a function optimized by Dynamo", "also after the program's end")
done()
