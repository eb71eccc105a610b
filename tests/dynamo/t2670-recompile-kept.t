#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Recompiled code has the original's code objects for lambdas and comprehensions that are the same: torch finds the graphs of a
function, and guards it, by the identity of its code."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
p = python(script(r'''
    import cdbg, types
    def f(x, y):
        a = [lambda: x, lambda: x,
             lambda z: [lambda: q for q in z]]
        return a, sum(y for y in a if y is not None)
    def nested(code):
        return [c for c in code.co_consts if isinstance(c, types.CodeType)]
    new = cdbg.recompile(f)
    made = {id(c) for c in nested(new)}
    print(all(id(c) in made for c in nested(f.__code__)), len(nested(f.__code__)))
    print(new is f.__code__)
'''), limit=60)
is_(p.stdout.splitlines()[:1], ["True 4"], "lambdas and generator expressions are the same objects")
is_(p.stdout.splitlines()[1:], ["False"], "the code itself is new")

PROGRAM = r'''
    import cdbg, sys, torch
    from torch._dynamo import convert_frame
    if sys.argv[1:]:
        convert_frame.register_bytecode_hook(lambda _, code: cdbg.recompile(code))
    @torch._dynamo.disable
    def brk():
        pass
    def f(x, n):
        with torch.no_grad():
            x = x + n
        try:
            brk()
        finally:
            g = lambda z: z * 3
        return g(x)
    c = torch.compile(f, backend="eager", dynamic=False)
    for n in 1, 2, 3:
        print(c(torch.ones(2), n))
    print(torch._dynamo.utils.counters["stats"]["unique_graphs"], "graphs")
'''
path = script(PROGRAM)
own, new = (python(path, *words, limit=120).stdout for words in ((), ("recompiled",)))
ok(own.endswith("graphs\n") and own == new, "a lambda that several entries make is compiled as often as without cdbg", "%s\n%s" % (own, new))
done()
