#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The program's signal handlers: none runs inside a stop or a condition, none is lost, what is set at the prompt works there."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

WATCHDOG = """
    import signal

    class Late(Exception):
        pass

    def late(number, frame):
        raise Late

    def f(i):
        return i

    def spin():
        for i in range(100000000):
            f(i)

    def watched():                      # CPython 3.13 leaves a loop's jump out of the try around it
        signal.setitimer(signal.ITIMER_REAL, .2)
        try:
            spin()
        except Late:
            return "late"
        return "never"

    signal.signal(signal.SIGALRM, late)
    print(watched())
"""

# Nearly all of the time goes into the condition.
with Cdbg(WATCHDOG) as d:
    d.do("break f if sum(range(20000)) < 0")
    d.run_out()
    is_(d.out, "late\n", "a handler raises in the program, not in a condition that it falls into")
with Cdbg(WATCHDOG) as d:
    d.do("break f")
    d.do("condition 1 sum(range(20000)) < 0")
    d.do("watch f.__name__")
    d.run_out()
    is_(d.out, "late\n", "nor where what is watched is evaluated")

with Cdbg("""
    import signal
    import sys

    def late(number, frame):
        came.append(frame.f_code.co_name)

    def early(number, frame):
        early_ones.append(frame.f_code.co_name)

    def f(i):
        return abs(i) + 1

    def main():
        f(1)
        return f(2)

    came, early_ones = [], []
    signal.signal(signal.SIGUSR1, late)
    before = signal.getsignal(signal.SIGUSR2)
    main()
    print(signal.signal(signal.SIGUSR1, signal.SIG_DFL) is late, signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL,
          signal.getsignal(signal.SIGUSR2) is early, before is signal.SIG_DFL)
""") as d:
    d.do("break f")
    d.go()
    is_(d.text("p signal.getsignal(signal.SIGUSR1) is late").strip(), "True", "the program's handler is shown as its own")
    is_(d.text("p signal.raise_signal(signal.SIGUSR1), came").strip(), "(None, [])",
        "at the prompt a handler of the program waits")
    is_(d.text("p signal.raise_signal(signal.SIGUSR1), came").strip(), "(None, [])", "however often its signal comes")
    d.do("p signal.signal(signal.SIGUSR2, early)")
    like(d.text("p signal.raise_signal(signal.SIGUSR2) or early_ones"), "<", "one that is set at the prompt runs there")
    d.go()
    is_(d.text("p came").strip(), "['f']", "the others run once, where the program continues")
    is_(d.text("p signal.raise_signal(signal.SIGUSR2) or len(early_ones)").strip(), "1",
        "at the next stop what was set at the prompt waits, too")
    d.run_out()
    is_(d.out, "True True True True\n", "signal.signal() and getsignal() answer as without cdbg")

with Cdbg("""
    import signal
    import _signal

    def f():
        signal.raise_signal(signal.SIGUSR1)

    def late(number, frame):
        print("late in", frame.f_code.co_name, flush=True)

    def last():
        abs(1)
        print(_signal.signal.__self__ is _signal, signal.getsignal(signal.SIGUSR1) is late, flush=True)
        f()

    signal.signal(signal.SIGUSR1, late)
    f()
    last()
""") as d:
    d.do("break last")
    d.go()
    is_(d.out, "late in f\n", "a handler sees the frame that its signal came in, as without cdbg")
    d.do("p signal.raise_signal(signal.SIGUSR1)")
    d.do("detach")
    d.wait()
    is_(d.out, "late in f\nlate in last\nTrue True\nlate in f\n", "after a detach nothing is held back or lost")
done()
