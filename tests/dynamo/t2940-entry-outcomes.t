#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""entry diff compares what a call prints, the strides and requires_grad of results, and exceptions; what it prints is written nowhere.  A
SystemRandom is no reason to refuse; an entry that the call would not use is one."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
PROGRAM = '''
    import logging, os, random, sys, torch

    numbers = random.SystemRandom()
    log = logging.getLogger("program")
    log.addHandler(logging.StreamHandler(sys.stdout))
    log.warning("begun")

    def drawn(x, from_system=numbers):
        return x + 1

    def talks(x):
        y = x + 1
        print("printed by it")
        log.warning("logged by it")
        os.write(1, b"written by it\\n")
        return y * 2

    def backend(change):
        return lambda gm, inputs: lambda *args: [change(v) for v in gm(*args)]

    def loud(v):
        os.write(1, b"said by the backend\\n")
        return v

    def stops(v):
        raise KeyError("of the backend")

    def spoken(x): return x * 2
    def turned(x): return x * 3
    def cut(x): return x * 4
    def raising(x): return x * 5
    def sized(x, n): return x * n

    x, m, w = torch.ones(3), torch.ones(2, 3), torch.ones(3, requires_grad=True)
    for f, how, args in ((drawn, "eager", (x,)), (talks, "eager", (x,)), (spoken, backend(loud), (x,)), (sized, "eager", (x, 2)),
                         (turned, backend(lambda v: v.t().contiguous().t()), (m,)), (cut, backend(lambda v: v.detach()), (w,)),
                         (raising, backend(stops), (x,))):
        try:
            torch.compile(f, backend=how, dynamic=False)(*args)
        except KeyError:
            print("raised")

    def stop():
        pass

    stop()
    print("end")
'''

with Cdbg(PROGRAM) as d:
    d.do("break stop")
    d.go()
    d.do("up")
    ids = {r["function"]: r["entry"] for r in reversed(d.rows("info entries"))}

    def diff(name, words="x=x"):
        return d.text("entry diff %s with %s" % (ids[name], words))
    like(diff("drawn", "x=x from_system=numbers"), "^equal to eager", "a SystemRandom, which has no state, is no reason to refuse")
    like(diff("talks"), "^equal to eager", "what both print is the same: by print(), by a handler that holds the stream, by the descriptor")
    like(diff("spoken"), r"^not equal to eager(.*\n)*.*printed to descriptor 1: 'said by the backend' more than eager", "other output is a difference")
    like(diff("turned", "x=m"), r"not equal to eager(.*\n)*.*strides \[1, 2\], eager \[3, 1\]", "so are other strides")
    like(diff("cut", "x=w"), r"not equal to eager(.*\n)*.*requires_grad False, eager True", "and a result without autograd")
    like(diff("raising"), r"not equal to eager(.*\n)*.*raises KeyError: 'of the backend', eager returns", "and an exception")
    like(d.error("entry diff %s with x=x n=3" % ids["sized"]), r"this call does not use entry(.*\n)*.*n == 2", "a call that the entry is not for is refused")
    like(d.text("entry diff -f %s with x=x n=3" % ids["sized"]), "not equal to eager", "-f compares all the same")
    d.run_out()
    said = d.out
status, out, _ = bare(PROGRAM)
is_(said, out, "the program's output is what it is without cdbg")
done()
