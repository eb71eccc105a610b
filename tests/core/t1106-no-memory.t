#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Memory that runs out: the interpreter's allocations fail one after another while a command runs, each alone and
then all that follow for a while.  The process lives and answers, and the command works again when there is memory.
CDBG_NOMEMORY_STEP and CDBG_NOMEMORY: see tests/lib/starve.py."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from starve import *  # noqa: E402,F403

PROG = """
    import sys, threading, traceback, linecache, inspect
    sys.path.insert(0, %r)
    import nomemory as nm
    class Point:
        def __init__(self, x):
            self.x = x
        def __repr__(self):
            return "Point(%%d)" %% self.x
    class Error(Exception):
        pass
    def helper(a):
        try:
            raise Error("a")
        except Error:
            b = [a, a]
        return len(b)
    def gen(n):
        for i in range(n):
            yield helper(i)
    def work(n, *rest, key=None, **more):
        p, t, d, big = Point(n), (1, 2.5, "text"), {"a": [1, 2]}, 10 ** 30
        def inner():
            return p.x + n
        total = 0
        for i in gen(3):
            total += i
            total += inner()
            k = "end"
        return total
    total = 5
    while True:
        work(2, 3, key="k", other=None)
""" % libraries

LOOKS = ["info locals", "info stack", "bt", "info frame", "info threads", "info breakpoints", "info display", "info code",
         "disassemble", "list", "ll work", "help break", "info cdbg", "complete break w", "complete p p.", "print p",
         "print [p, d, t, big]", "pp d", "pp {'a': {1, 2}, 'b': [(1,)] * 30, 'c': p}", "decompile", "decompile helper", "info asm",
         "info python", "info source", "info signals", "print nosuch", "print 1/0", "print $0", "print __stack__", "whatis p", "frame 1", "thread 1"]
CHANGES = ["display total + 1", "break helper", "break work if n > 1", "tbreak gen*10", "condition 1 n == 2", "catch exception Error",
           "watch total", "break Point.__init__", "break prog.py:14", "break opcode:RETURN_VALUE", "set var total = total", "x = [1, 2]",
           "set stack 0 = None", "set var p.x = 5", "catch return helper", "catch signal SIGUSR1", "watch d['a']", "watch p.x",
           "py for i in [1, 2]: n = 2", "del nosuch", "jump ."]
GOES = ["step", "next", "stepi", "nexti", "finish", "until", "continue", "advance helper"]

s = Session(PROG, 'k = "end"', step=1)
survive(s, LOOKS)
survive(s, CHANGES)
survive(s, GOES, True)
s.end()
done()
