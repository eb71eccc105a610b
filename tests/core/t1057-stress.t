#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Threads that recurse, raise, generate and sort while breakpoints come and go and frames are stepped at random: the
results stay right, nothing crashes, nothing is left behind."""
import os
import random
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

PROGRAM = """
    import sys, threading
    sys.setswitchinterval(1e-4)
    stop = []


    def deep(n):
        if n == 0:
            return 1
        return deep(n - 1) + 1


    def raising(n):
        try:
            if n % 3:
                raise ValueError(n)
            return 0
        except ValueError as e:
            return e.args[0]
        finally:
            n += 1


    def gen(n):
        for k in range(n):
            try:
                yield k
            finally:
                pass


    def sorting(n):
        return sorted(range(n), key=lambda k: -k)[0]


    def work(out):
        bad = rounds = 0
        while not stop or rounds < 3:
            rounds += 1
            g = gen(5)
            bad += next(g) != 0
            bad += deep(6) != 7
            bad += raising(rounds) != (rounds if rounds % 3 else 0)
            bad += sum(g) != 10
            bad += sorting(5) != 4
            g = gen(3)
            next(g)
            g.close()
        out.append(bad)


    out = []
    threads = [threading.Thread(target=work, args=(out,)) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        while t.is_alive():
            t.join(0.01)
    print("bad", sum(out), sys.gettrace())
"""

rng = random.Random(7)
FUNCTIONS = ["deep", "raising", "gen", "sorting", "work"]
with Cdbg(PROGRAM) as d:
    d.do("tbreak work")
    d.go()
    stops = 0
    for turn in range(220):
        what = rng.random()
        if what < 0.25:
            d.do("break %s" % rng.choice(FUNCTIONS))
        elif what < 0.45:
            rows = d.rows("info breakpoints")
            if rows:
                d.do("delete %d" % rng.choice(rows)["number"])
        elif what < 0.5:
            d.cmd("print deep(3) + sorting(4)")
        elif what < 0.9:
            d.go(rng.choice(["stepi", "nexti", "step", "next", "finish", "stepi 7"]))
            stops += 1
        elif d.rows("info breakpoints"):
            d.go()
            stops += 1
        if d.exited:
            break
    ok(stops > 60 and not d.exited, "breakpoints come and go and frames are stepped at random", stops)
    if not d.exited:
        d.do("delete")
        d.do("!stop.append(1)")
        d.run_out()
    is_((d.out, d.exited["status"]), ("bad 0 None\n", 0), "every result of every thread is right")
done()
