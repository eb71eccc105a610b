#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Code that comes and goes: bodies that are compiled again and again are released, and a function that was given another code
# object stops where that runs.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

BODIES = '''
import weakref
alive = set()
kept = {}
for i in range(2000):
    code = compile("def made(n):\\n    return n + %d\\n" % i, __file__ + ".made.py", "exec")
    names = kept if i == 1000 else {}
    exec(code, names)
    alive.add(weakref.ref(code))
del code, names
print(sum(r() is not None for r in alive) < 700, kept["made"](1))
'''

path = script(BODIES)
with Cdbg(path) as d:
    d.run_out()
    is_(d.out, "True 1001\n", "bodies that nothing can run any more are released")

with Cdbg(path) as d:
    d.do("tbreak %d" % line_of(path, "print("))
    d.go()
    d.do("break made")
    is_((d.go()["event"], d.frame["function"]), ("stopped", "made"), "one whose function lives is kept, and a breakpoint finds it")

REPLACED = '''
import functools
def f(n):
    return n + 1                        # old
def g(n):
    return n + 2                        # new
def decorate(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)
    return wrapper
@decorate
def wrapped(n):
    return n + 3
class C:
    def m(self):
        return 1
f.__code__ = g.__code__
C.m.__code__ = (lambda self: 2).__code__
print(f(1), wrapped(1), C().m())        # calls
'''

path = script(REPLACED)
with Cdbg(path) as d:
    d.do("tbreak %d" % line_of(path, "# calls"))
    d.go()
    d.do("break f")
    d.do("break wrapped")
    d.do("break C.m")
    found = []
    while d.go()["event"] == "stopped":
        found.append((d.frame["function"], d.stop["number"]))
    is_(found, [("g", 2), ("wrapped", 3), ("<lambda>", 4)], "break FUNC stops in the code that the function was given")
    is_(d.out, "3 4 2\n", "the program prints what it always prints")
done()
