#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Commands that come while the program runs are answered while it runs: no stop is shown, and a step goes on to its end."""
import os
import sys
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403


def until_out(d, text):
    while text not in d.out:
        d.next()


# ---- a busy loop ----

with Cdbg("""
    import sys
    def f(n):
        return n + 1
    print("up", flush=True)
    n = 0
    while n < 10**12:
        n = f(n)
        if n == -1:
            print("never")
    print("over")
""") as d:
    d.do("continue")
    until_out(d, "up")
    before = time.monotonic()
    like(d.text("break 4 if n < 0"), "breakpoint 1 at prog.py:4", "break is answered while the program is in a loop")
    ok(time.monotonic() - before < 5, "at once")
    is_([r["condition"] for r in d.rows("info breakpoints")], ["n < 0"], "info breakpoints shows it")
    is_(d.stops[1:], [], "no stop was shown for them")
    like(d.error("next"), "running, 'next' needs it stopped", "a step says that it needs a stop")
    like(d.error("print n"), "running, 'print' needs it stopped", "... so does print")
    like(d.error("n + 1"), "running", "... so does Python")
    like(d.error("info locals"), "not stopped", "... and a view of the frame")
    like(d.error("frob"), "unknown command 'frob'", "an unknown command is refused as ever")
    d.do("set repr-limit 33")
    like(d.text("show repr-limit"), "33", "an option can be set")
    d.do("delete")
    d.do("break f")
    is_(d.wait()["reason"], "breakpoint", "a breakpoint that was set while the program ran stops it")
    is_(d.frame["function"], "f", "where it was set")
    d.do("commands 2")
    d.do("continue")
    d.do("end")
    d.do("continue")
    d.do("delete 2")
    is_(d.stops[2:], [], "delete while the program runs ends a breakpoint that continues by its commands")
    d.do("tbreak f")
    d.wait()
    d.do("!n = 10**12")
    d.run_out()
    is_(d.out, "up\nover\n", "the program's own course is as without them")

# ---- in the middle of a step ----

with Cdbg("""
    import time
    def g():
        t = time.monotonic()
        time.sleep(1)
        return time.monotonic() - t >= 1
    x = g()
    y = 2
    z = 3
    print(x)
""") as d:
    d.go("next")
    d.go("next")
    is_(d.frame["line"], 6, "before the call")
    d.do("next")
    d.do("break 8")
    d.do("tbreak 9")
    is_(len(d.rows("info breakpoints")), 2, "breakpoints are set in the middle of a next")
    stop = d.wait()
    is_((stop["reason"], stop["frame"]["line"]), ("step", 7), "which still ends at its line")
    d.go()
    is_((d.reason, d.frame["line"]), ("breakpoint", 8), "and the breakpoint stops after it")
    d.do("delete")
    d.run_out()
    is_(d.out, "True\n", "a sleep in between takes its full time")

# ---- an interrupt keeps the step ----

for step, where in ("next", 7), ("finish", 5), ("until 8", 8):
    with Cdbg("""
        import time
        def g():
            for i in range(10):
                time.sleep(0.05)
            return 1
        x = g()
        y = 2
        z = 3
    """) as d:
        d.do("break 4" if step == "finish" else "break 6")
        d.go()
        d.do("delete")
        d.do(step)
        d.do("interrupt")
        is_(d.wait()["reason"], "interrupt", "interrupt in the middle of %s stops" % step)
        d.go()
        is_((d.reason, d.frame["line"]), ("return" if step == "finish" else "step", where), "... and continue ends where %s does" % step)

with Cdbg("""
    import time
    def g():
        for i in range(10):
            time.sleep(0.05)
    x = g()
    y = 2
    z = 3
""") as d:
    d.do("break 5")
    d.go()
    d.do("delete")
    d.do("next")
    d.do("interrupt")
    d.wait()
    d.go("step")
    is_(d.frame["function"], "g", "another step after an interrupt takes the place of the first")
    d.run_out()
    is_(len(d.stops), 5, "... which is not there any more")

# ---- what cannot be reached ----

with Cdbg("""
    print("up", flush=True)
    n = sum(range(150_000_000))
    print("over", flush=True)
    m = 1
    while m:
        pass
""") as d:
    d.do("continue")
    until_out(d, "up")
    before = time.monotonic()
    r = d.cmd("break 4")
    if r["ok"]:
        skip("a command that C code holds up is answered 'pending'", "the machine is too fast")
    else:
        ok(time.monotonic() - before < 60, "a command that C code holds up is answered")
        is_((r["ok"], r["pending"]), (False, True), "... 'pending'")
        like(r["error"], "run, and answered again, when that returns", "... with what becomes of it")
        is_(d.answer("break 4")["ok"], True, "it is run, and answered, when that returns")
    d.wait()
    is_((d.reason, d.frame["line"]), ("breakpoint", 4), "a breakpoint set so stops")
    d.do("!m = 0")
    d.do("continue")

# ---- detach, quit ----

with Cdbg("""
    import time
    print("up", flush=True)
    end = time.monotonic() + 1
    while time.monotonic() < end:
        pass
    print("over", flush=True)
""") as d:
    d.do("break 6")
    d.do("continue")
    until_out(d, "up")
    is_(d.do("detach")["ok"], True, "detach is taken while the program runs")
    is_(d.wait(), {"event": "exited", "status": 0}, "the program then runs to its end")
    is_(d.out, "up\nover\n", "... without a stop at the breakpoint")

with Cdbg("""
    print("up", flush=True)
    while True:
        pass
""") as d:
    d.do("continue")
    until_out(d, "up")
    d.send("quit 7")
    is_(d.proc.wait(100), 7, "quit is taken while the program runs")

# ---- other threads, exceptions, conditions ----

with Cdbg("""
    import threading, time
    go = threading.Event()
    def work(n):
        return n
    def other():
        while not go.is_set():
            work(1)
            time.sleep(0.001)
    t = threading.Thread(target=other)
    t.start()
    print("up", flush=True)
    t.join()
    try:
        1 / 0
    except ZeroDivisionError:
        print("caught")
""") as d:
    d.do("continue")
    until_out(d, "up")
    d.do("tbreak work")
    is_((d.wait()["reason"], d.frame["function"]), ("breakpoint", "work"),
        "a breakpoint set while the main thread waits in a join stops the other thread")
    d.do("continue")
    d.do("catch exception")
    d.do("tbreak work")
    d.wait()
    d.do("!go.set()")
    d.go()
    is_((d.reason, d.stop["type"]), ("exception", "ZeroDivisionError"),
        "catch exception, set while the program runs, holds for frames that run already")
    d.do("delete")
    d.run_out()
    is_(d.out, "up\ncaught\n", "the program's own course is as without them")

# ---- lines that were sent before the program continued wait for their turn ----

with Cdbg("""
    def f(n):
        return n
    f(1)
    f(2)
    print("over")
""") as d:
    d.do("break f")
    d.send("continue\np n\ndelete\ncontinue")
    is_(d.answer("continue")["ok"], True, "a line sent together with a continue")
    is_(d.answer("p n").get("text"), "1", "... waits for the stop")
    is_(d.answer("delete")["ok"], True, "... as do those after it")
    is_(d.answer("continue")["ok"], True, "... in their order")
    d.wait()
    is_(d.exited, {"event": "exited", "status": 0}, "... up to the end")

done()
