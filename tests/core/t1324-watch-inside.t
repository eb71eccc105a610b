#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A watchpoint sees every change inside of a value, runs none of the program's code, keeps no object, and says what it does not see.
import os, re, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

CASE = os.path.join(top, "tests", "cases", "watched_inside.py")
NAMES = [re.search(r"# (\w+)$", line).group(1) for line in open(CASE).read().splitlines() if re.search(r"^    .*# \w+$", line)]
with Cdbg(CASE) as d:
    d.do("break %d" % line_of(CASE, "l[999] = -5"))
    d.go()
    d.do("delete")
    watches = {}
    for name in NAMES:
        text = d.text("watch " + name)
        watches[int(re.match(r"watchpoint (\d+)", text).group(1))] = name
        unlike(text, "is seen|compared", "all of '%s' is compared" % name)
    for name in NAMES:
        stop = d.go()
        is_((stop["reason"], watches.get(stop.get("number"))), ("watch", name), "a change inside of '%s' stops" % name)
    d.run_out()
    is_((d.out, d.err), ("end\n", ""), "no code of the watched objects was run, the program ends as without cdbg")

with Cdbg("""
    import sys, weakref
    class Node:
        pass
    def f():
        n = Node()
        n.child = Node()
        seen = weakref.ref(n.child)
        before = sys.getrefcount(n.child)       # here
        n.other = 1
        after = sys.getrefcount(n.child)
        n.child = None
        gone = seen() is None
        same = n
        print(before == after, gone)
        return same
    f()
""") as d:
    d.do("break %d" % d.line_of("# here"))
    d.go()
    d.do("delete")
    d.do("watch n")
    d.run_out()
    is_(d.out, "True True\n", "a watched object's parts live as long as without cdbg")

with Cdbg("""
    def f():
        it = iter(range(100))
        huge = list(range(200000))
        equal = [1, [2]]
        for k in range(3):                      # here
            equal = [1, [2]]
        huge[50] = 0
        huge[199999] = 0
        x = 1
        x = 1
        return it, huge, equal
    f()
    print("end")
""") as d:
    d.do("break %d" % d.line_of("# here"))
    d.go()
    d.do("delete")
    like(d.text("watch it"), r"^not every change inside of a 'range_iterator' object is seen$", "an object that cannot be read is named when it is watched")
    d.do("delete")
    like(d.text("watch huge"), r"^only the first 100000 values in it, and 16 MiB of elements, are compared$", "a value that is too large is reported when it is watched")
    d.do("watch equal")
    d.go()
    is_((d.reason, d.stop["detail"]["expression"]), ("watch", "huge"), "an equal list in the place of a list changes nothing; a change within the limit is one")
    d.run_out()
    is_(d.out, "end\n", "the program runs to its end")

status, out, err = run("""
    def f():
        l = list(range(1000))
        last = 0
        l[999] = 5
        return last
    f()
""", options=["--plain", "-q"], commands=["break 4", "continue", "watch l", "continue", "quit"])
like(out, r"watchpoint 2: l was .* \(changed in a part that is not shown\)$", "a stop says that the change is not in the text of the value")

if has("numpy"):
    with Cdbg("""
        import numpy
        def f():
            a = numpy.zeros((100, 100)); t = a.T[::2]; last = 0
            a[99, 98] = 1                       # here
            last = 1
            return last
        f()
    """) as d:
        d.do("break %d" % d.line_of("# here"))
        d.go()
        d.do("delete")
        d.do("watch a")
        is_(d.go()["reason"], "watch", "an element of a numpy array")
        d.do("delete")
        d.run_out()
else:
    skip("an element of a numpy array", "no numpy")
done()
