#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The full screen where threads stop: who stopped, who is looked at, and the pane of threads.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

# The thread sanitizer delivers a signal when its thread next calls the C library, which a plain loop never does.
LOOK = "not time.sleep(0)" if "tsan" in os.environ.get("CDBG_PRELOAD", "") else "not looked"
PROG = script('''
    import threading, time
    gate = threading.Barrier(3)
    over = threading.Event()

    def work(n):
        mine = n * 10
        gate.wait()
        over.wait()
        return mine

    threads = [threading.Thread(target=work, args=(n,)) for n in (1, 2)]
    for t in threads:
        t.start()
    gate.wait()
    looked = True
    while not over.is_set():
        looked = LOOK
    for t in threads:
        t.join()
    print("all done")
'''.replace("LOOK", LOOK), "threads.py")
LINE = line_of(PROG, "over.wait()")


def stop(s, line):
    """Run to the next stop; the number of the thread that made it."""
    before = s.marks
    s.line(line)
    s.until(lambda: s.marks > before and s.row(r"^ stopped: breakpoint"), line).ready()
    return int((re.search(r"thread (\d+)", s.row("^ stopped:")) or [0, 0])[1])


with Screen(PROG, rows=40, cols=120, options=["-q"]) as s:
    s.line("break %d" % LINE)
    seen = [stop(s, "continue"), stop(s, "continue")]
    is_(sorted(seen), [2, 3], "each thread that comes to the breakpoint stops, and the status line says which")
    last = seen[1]
    like("\n".join(s.pane("locals")), r"mine +%d0 " % (last - 1), "the panes are those of the thread that stopped")
    s.line("thread %d" % seen[0])
    like(s.row("^ stopped:"), r"work threads\.py:%d.* . thread %d '[^']+', thread %d stopped" % (LINE, seen[0], last),
         "thread N shows another one; the status line says whose stop it is")
    like("\n".join(s.pane("locals")), r"mine +%d0 " % (seen[0] - 1), "and the panes follow")
    s.line("thread 1")
    like(s.row("^ stopped:"), r"<module> threads\.py:\d+ .*main thread, thread %d stopped" % last, "the main thread by its name")
    s.line("focus threads")
    s.keys("z")
    like(s.text, r"thread name +function file +line\n ▶ +1 MainThread", "the pane of threads, with headings, the chosen one marked")
    s.keys("j" * (last - 1) + "\r")        # the one that a step ends in: the other one waits
    like(s.row("^ stopped:"), r"work threads\.py:\d+.* . thread %d" % last, "Enter on a thread chooses it")
    s.keys("z\x1b[18~")
    like(s.row("^ stopped:"), r"thread \d", "a step is taken")
    s.keys("\x1b")
    s.line("delete", wait=False).see("(y or n)").keys("y\r")
    s.line("continue", wait=False).see("running")
    s.keys("\x03", wait=False)
    s.until(lambda: s.row("^ stopped: interrupt"), "the interrupt").ready()
    like(s.row("^ stopped:"), "main thread", "Ctrl-C stops the main thread")
    s.line("p over.set()")
    s.line("continue").see("the program ended with status 0")
    like("\n".join(s.pane("output")), "all done", "and all threads come to their end")
done()
