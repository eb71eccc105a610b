#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Generated code that is not traced from its beginning on, because the graph function that it loads is a Python function,
# stops at its breakpoint also when another thread or a signal handler replaces that function by a C function.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import operator
    import signal
    import sys
    import threading
    import torch

    inside = []

    def backend(gm, inputs):
        def graph(*args):
            if inside:
                inside.pop()()
            return gm(*args)
        return graph

    @torch.compile(backend=backend)
    def f(a):
        return (a * 2 + 1).relu() - a

    def mark(what):
        return what

    ones = torch.ones(3)
    for i in range(3):
        f(ones)
    names = [n for n in globals() if n.startswith("__compiled_fn")]
    assert len(names) == 1, names
    functions = dict((n, globals()[n]) for n in names)

    callables = [functions, dict((n, operator.itemgetter(slice(None))) for n in names)] # no Python code

    def swap(k):
        globals().update(callables[k % 2])

    def look():
        frame = sys._getframe(2)
        frame.f_trace_opcodes = True
        seen.append((frame.f_code.co_name, frame.f_lineno))

    seen = []
    mark("ready")
    for k in range(8):
        swap(k)
        f(ones)
    swap(0)
    mark("threads")
    sys.setswitchinterval(1e-6)
    over = False

    def swaps():
        k = 0
        while not over:
            k += 1
            swap(k)
        swap(0)

    thread = threading.Thread(target=swaps)
    thread.start()
    for k in range(2000):
        f(ones)
    over = True
    thread.join()
    sys.setswitchinterval(0.005)
    mark("signals")
    count = [0]

    def handler(number, frame):
        count[0] += 1
        swap(count[0])

    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    for k in range(2000):
        f(ones)
    signal.setitimer(signal.ITIMER_REAL, 0)
    swap(0)
    mark("objects")
    inside.append(look)
    f(ones)
    print(seen)
    f(ones)
    mark("over")
"""
MANY = 100000

status, out, err = bare(PROGRAM)
is_(status, 0, "the program runs without cdbg")

with Cdbg(PROGRAM) as d:
    d.do("break mark")
    d.go()
    rows = d.rows("info code 0/0")
    after = [r["offset"] for r in rows if r["opname"] == "RETURN_VALUE"][-1]
    d.do("break 0/0*%d" % after)
    d.do("ignore 2 %d" % MANY)

    def hits():
        left = d.rows("info breakpoints")[1]["ignore"]
        d.do("ignore 2 %d" % MANY)
        return MANY - left

    for what, calls in (("a Python function and another one by turns", 8), ("a thread replaces it", 2000),
                        ("a signal handler replaces it", 2000), ("its frame is looked at", 2)):
        d.go()
        is_((d.frame["function"], hits()), ("mark", calls), "each call reaches the breakpoint: " + what)
    d.do("delete")
    d.run_out()
    is_(d.out, out, "the results are those without cdbg")
done()
