#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Arguments of calls inside a compiled region have the references that they have without cdbg, also while a breakpoint in
# generated code is armed: Dynamo's evaluator keeps them on the caller's stack, and cdbg leaves them there.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import sys
    import weakref
    import torch

    class Arg:
        pass

    @torch._dynamo.disable(recursive=False)
    def use(a, *more):
        w = weakref.ref(a)
        del a
        return w() and sys.getrefcount(w())

    @torch._dynamo.disable(recursive=False)
    def call():
        return use(Arg()), use(Arg(), 1)

    @torch.compile(backend="eager")
    def f(x):
        y = x + 1
        counts = call()
        return y * 2, counts

    def mark():
        pass

    for i in range(3):
        f(torch.ones(2))
    for i in range(3):
        mark()
        print(f(torch.ones(2))[1])
"""

status, out, err = bare(PROGRAM)
is_(status, 0, "the program runs without cdbg")
with Cdbg(PROGRAM) as d:
    d.do("break mark")
    d.go()
    d.do("break 0/0")
    d.go()
    is_(d.frame["function"], "f", "a breakpoint in generated code is armed")
    d.do("delete 1")
    d.do("ignore 2 100")
    d.run_out()
    is_(d.out, out, "arguments in the region have the references that they have without cdbg")
with Cdbg(PROGRAM) as d:
    d.do("break mark")
    d.do("break use")
    d.do("ignore 2 100")
    d.go()
    d.do("delete 1")
    d.run_out()
    is_(d.out, out, "and they have where the called function itself is armed")
done()
