#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A breakpoint on a function follows it when the program gives it another code object, under whatever name; a condition
# that fails while its hits are ignored costs no memory.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

REPLACED = '''
def g(n):
    return n + 2
def f(n):
    return n + 1
def h(n):
    return n + 3
def unlike(n):
    def inner():
        return n
    return inner
first = f
try:
    f.__code__ = unlike(1).__code__     # refused by Python
except ValueError:
    pass
del f
first.__code__ = g.__code__
print(first(1))
first.__code__ = h.__code__
print(first(1), g(1))
'''

path = script(REPLACED)
with Cdbg(path) as d:
    d.do("break f")
    found = []
    while d.go()["event"] == "stopped":
        found.append((d.frame["function"], d.stop["number"]))
    is_(found, [("g", 1), ("h", 1)], "break FUNC, set before, stops in each code that the function was given since, and in no other")
    is_(d.out, "3\n4 3\n", "the program prints what it always prints")

IGNORED = '''
import resource
def f(n):
    return n
for i in range(2000):
    f(i)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for i in range(60000):
    f(i)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
'''

path = script(IGNORED)
with Cdbg(path) as d:
    d.do("break f if nosuch.%s" % ("a" * 150))
    d.do("ignore 1 100000")
    d.run_out()
    most = 60000 if os.environ.get("CDBG_PRELOAD") else 6000           # a sanitizer keeps what was freed
    ok(int(d.out) < most, "a condition that fails at hits that are ignored leaves nothing", d.out)
done()
