#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Threads: each is stopped in its own right, steps stay in theirs, stops that meet wait for each other."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

THREADS = """
    import sys, threading
    sys.setswitchinterval(1e-5)


    def work(k, out):
        total = 0
        for n in range(20):
            total += n
            total -= k
        out.append(total)


    out = []
    threads = [threading.Thread(target=work, args=(k, out), name="worker-%d" % k) for k in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print(sorted(out))
"""
WANT = "[150, 170, 190]\n"

with Cdbg(THREADS) as d:
    d.do("break %d" % d.line_of("total -= k"))
    hits = {}
    while not d.exited:
        stop = d.go()
        if stop.get("reason") == "breakpoint":
            hits[stop["thread"]] = hits.get(stop["thread"], 0) + 1
    is_(sorted(hits.values()), [20, 20, 20], "a breakpoint fires at each pass in every thread")
    is_(d.out, WANT, "the result is the same")

with Cdbg(THREADS) as d:
    d.do("break work")
    d.go()
    first = d.stop["thread"]
    others = 0
    for _ in range(60):
        d.go("next")
        if d.exited or d.reason == "return":
            break
        others += d.stop["thread"] != first
    ok(others >= 1, "other threads' stops at the breakpoint are shown while one steps")
    d.do("delete")
    d.run_out()
    is_(d.out, WANT, "stepping one of them changes nothing")

with Cdbg(THREADS) as d:
    d.do("tbreak work")
    d.go()
    thread = d.stop["thread"]
    lines = []
    for _ in range(12):
        d.go("next")
        lines.append((d.stop["thread"], d.frame["function"]))
    is_(set(lines), {(thread, "work")}, "next stays in its thread")
    rows = d.rows("info threads")
    is_([r["thread"] for r in rows if r["current"]], [thread], "info threads marks the stopped one")
    other = [r["thread"] for r in rows if r["thread"] != thread][0]
    d.do("thread %d" % other)
    ok(d.rows("info frames"), "thread N selects another thread's stack")
    like(d.error("thread 99"), "no thread 99", "a number there is none of is refused")
    d.do("thread %d" % thread)
    d.do("set scheduler-locking on")
    d.go("next")
    is_(d.stop["thread"], thread, "with scheduler-locking on it steps on")
    d.do("set scheduler-locking off")
    d.run_out()
    is_(d.out, WANT, "the result is the same after all that")

# The second thread comes to the breakpoint, the first one never does before it.
with Cdbg("""
    import threading
    over = threading.Event()

    def first():
        over.wait()
        work(1)

    def work(n):
        return n

    def second():
        work(2)
        over.set()

    threads = [threading.Thread(target=f) for f in (first, second)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
""") as d:
    d.do("break work")
    d.go()
    is_((d.text("p n"), d.stop["thread"]), ("2", 3), "threads are numbered in the order in which they were made")
    d.go()
    is_((d.text("p n"), d.stop["thread"]), ("1", 2), "whichever is seen first")
    d.run_out()

# What is freed is overwritten, so that a look at a thread that has ended would not go unpunished.
ENDED = '''
    import threading

    def work():
        return 1                # work

    def f():
        return 2

    for _ in range(3):
        t = threading.Thread(target=work)
        t.start()
        t.join()
        del t
        f()
    print("end")
'''
with Cdbg(ENDED, env={"MALLOC_PERTURB_": "165", "PYTHONMALLOC": "malloc"}) as d:
    d.do("break work")
    d.do("break f")
    d.do("catch exception")
    for k in range(3):
        while d.frame["function"] != "work":
            d.go()
        while d.frame["function"] != "f":
            d.go("stepi")
        is_([r["thread"] for r in d.rows("info threads")], [1], "a thread that was being stepped when it ended is gone, round %d" % k)
    d.run_out()
    is_(d.out, "end\n", "and the program ends as ever")
done()
