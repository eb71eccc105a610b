#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# `interrupt` stops the program whatever it does and whatever is set.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

HELP = """
    import queue
    import subprocess
    import sys
    import threading
    import time

    def h(n):
        return n + 1

    def spin(n):
        x = 0
        for i in range(n):
            x = h(x)
        return x

    def short():
        spin(200)

    def go(f):
        t = threading.Thread(target=f)
        t.daemon = True
        t.start()
        return t

"""
MANY = HELP + """
    def starter():
        while True:
            go(short).join()

    go(starter)
    go(lambda: spin(10 ** 12))
    while True:
        t = go(short)
        spin(100)
        t.join()
"""
for lock in "step", "on", "off":
    with Cdbg(MANY) as d:
        d.do("set scheduler-locking " + lock)
        d.do("break h if n < 0")
        reasons = set()
        for i in range(60):
            d.do(("nexti 99999", "continue")[i % 2])
            d.send("interrupt")
            reasons.add(d.wait()["reason"])
        is_(reasons, {"interrupt"},
            "threads start and end, a condition is asked, scheduler-locking %s: each of 60 interrupts stops" % lock)

DOING = (
    ("while True:\n    spin(1000)", "a loop"),
    ("go(lambda: spin(10 ** 12)).join()", "the main thread waits for a thread that runs"),
    ("go(lambda: [sum(range(10 ** 6)) for i in range(10 ** 9)]).join()", "the main thread waits, another one is in C code"),
    ("threading.Thread(target=lambda: spin(10 ** 12)).start()", "the main thread has come to its end, another one runs"),
    ("threading.Thread(target=lambda: time.sleep(1000)).start()", "the main thread has come to its end, another one sleeps"),
    ("sys.setswitchinterval(1000)\ngo(lambda: spin(10 ** 12)).join()", "the program's own switch interval is long"),
    ("go(lambda: spin(10 ** 12))\ntime.sleep(1000)", "the main thread sleeps"),
    ("go(lambda: spin(10 ** 12))\nqueue.Queue().get()", "the main thread waits for a queue"),
    ("go(lambda: spin(10 ** 12))\nthreading.Lock().acquire() and threading.Event().wait()", "the main thread waits for an event"),
    ("subprocess.run(['sleep', '1000'])", "the main thread waits for a process"),
    ("while True:\n    sum(range(10 ** 6))", "most of the time is spent in C code"),
    ("while True:\n    try:\n        spin(10 ** 4)\n    except BaseException:\n        pass", "the program catches all exceptions"),
)


def program(what):
    return HELP + "".join("    %s\n" % line for line in ["print('ready', flush=True)"] + what.split("\n"))


for what, name in DOING:
    for lock in "off", "step":
        with Cdbg(program(what)) as d:
            d.do("set scheduler-locking " + lock)
            d.do("break h if n < 0")
            d.do("next 5" if lock == "off" else "continue")
            if lock == "off":
                d.wait()
                d.do("continue")
            while "ready" not in d.out:
                d.next()
            d.send("interrupt")
            is_(d.wait()["reason"], "interrupt", "interrupt, scheduler-locking %s: %s" % (lock, name))
            d.do("nexti 99999" if lock == "step" else "continue")
            d.send("interrupt")
            ok(d.wait()["reason"] in ("interrupt", "step"), "and again: %s" % name)
            d.proc.kill()

# A step over a call that waits for another thread ends, although a third one never waits for anything.
with Cdbg(HELP + """
    go(lambda: spin(10 ** 12))
    t = go(lambda: time.sleep(.01))
    t.join()
    print("joined")
""") as d:
    d.do("set scheduler-locking step")
    d.do("break %d" % d.line_of("t.join()"))
    d.go()
    d.go("next")
    is_((d.reason, d.frame["line"]), ("step", d.line_of('print("joined")')),
        "scheduler-locking step: a step over join() ends while another thread runs all the time")
    d.do("set scheduler-locking on")
    d.go("next")
    is_(d.out, "joined\n", "so it does with scheduler-locking on")
    d.proc.kill()

# A program's own interrupt is the program's.
with Cdbg("""
    import _thread, signal

    def mine(number, frame):
        seen.append(number)

    seen = []
    signal.signal(signal.SIGINT, mine)
    _thread.interrupt_main()
    print(seen, flush=True)
""") as d:
    d.run_out()
    is_((d.out, len(d.stops)), ("[2]\n", 2), "_thread.interrupt_main() reaches the program's handler and stops nothing")
done()
