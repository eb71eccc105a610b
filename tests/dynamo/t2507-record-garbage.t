#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What cdbg keeps of a compile, to build its guards again, costs the program's garbage collections next to nothing."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
path = script("""
    import gc, torch

    def compile_some(first, last):
        for k in range(first, last):
            names = {}
            exec("def f(x, y):\\n    return x * %d + y\\n" % k, names)
            torch.compile(names["f"], backend="eager")(torch.ones(3), torch.ones(3))
            kept.append(names)
        gc.collect()
        return len(gc.get_objects())

    kept = []
    before = compile_some(0, 5)
    print((compile_some(5, 25) - before) // 20)
""")
alone = int(bare(path)[1])
status, out, err = run(path, commands=["continue", "quit"], options=["-q", "--plain"])
watched = int(next(line for line in out.splitlines() if line.isdigit()))
note("%d objects a function, %d with cdbg" % (alone, watched))
ok(alone > 100, "a compiled function is hundreds of objects of the garbage collector", alone)
ok(watched - alone < 25, "with cdbg it is at most a few more", watched - alone)
done()
