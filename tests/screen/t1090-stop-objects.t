#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The objects that a stop shows, while commands replace them: return values, exceptions, threads that end.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

FREED = {"PYTHONMALLOC": "debug"}       # what is freed is overwritten at once

VALUE = script('''
    class V:
        def __init__(self, n):
            self.n = n

        def __repr__(self):
            return "V(%d)" % self.n

    def h(n):
        return V(n * 1000)

    def g():
        for i in range(2):
            print(h(i))

    g()
''')

with Screen(VALUE, rows=30, cols=100, options=["-q"], env=FREED) as s:
    s.line("break h").line("continue").line("finish")
    like(s.row("^ stopped:"), "return of <__main__.V", "the status line says what is returned")
    s.line("set stack 0 = 5")
    like(s.row("^ stopped:"), "return of 5", "set stack at a return stop: the status line shows the new return value")
    for line in "info breakpoints", "p [object() for i in range(100)][:1]", "info stack", "info locals", "backtrace":
        s.line(line)
    like(s.row("^ stopped:"), "return of 5", "and the stop outlives any number of commands")
    s.line("set stack 0 = V(7)")
    s.line("p __import__('gc').collect() * 0").line("info stack")
    like(s.row("^ stopped:"), "return of <__main__.V", "also when the value is replaced a second time")
    s.line("delete 1").line("continue").see("the program ended with status 0")
    like("\n".join(s.pane("output")), r"V\(7\)\s*\n\s*V\(1000\)", "the program gets the value that was set")

# The value of a watchpoint's stop and of an exception's are released during the stop.
with Screen('''
    class V:
        pass

    def f():
        x = V()
        x = V()
        abs(1)
        try:
            raise KeyError(V())
        except KeyError:
            pass
        return 1

    f()
    print("end")
''', rows=30, cols=100, options=["-q"], env=FREED) as s:
    s.line("break f").line("continue").line("watch x").line("continue").line("continue")
    like(s.row("^ stopped:"), r"watchpoint 2 . f prog\.py", "a watchpoint stops")
    s.line("set var x = 3").line("delete 2")
    for line in "p __import__('gc').collect() * 0", "p [V() for i in range(100)][:1]", "info breakpoints":
        s.line(line)
    like(s.row("^ stopped:"), r"watchpoint 2 . f prog\.py", "set var and delete at a watchpoint's stop leave the stop whole")
    s.line("catch exception").line("continue")
    like(s.row("^ stopped:"), "exception KeyError", "an exception stops")
    s.line("!__import__('sys').exc_info()").line("info breakpoints")
    like(s.row("^ stopped:"), "exception KeyError", "and its stop stays")
    s.line("continue").see("the program ended with status 0")

# Another thread that is looked at ends while the prompt evaluates something.
with Cdbg('''
    import threading
    started, over = threading.Event(), threading.Event()

    def work(t):
        started.set()
        over.wait()

    def here(t):
        return t

    t = threading.Thread(target=lambda: work(t))
    t.start()
    started.wait()
    here(t)
    print("end")
''', env=FREED) as d:
    d.do("break here")
    d.go()
    d.do("thread 2")
    d.do("p over.set() or t.join()")
    is_([row["thread"] for row in d.rows("info threads")], [1], "a thread that is looked at ends at the prompt")
    for line in "backtrace", "info locals", "info frame", "thread", "info stack":
        d.cmd(line)                         # refused or not
    like(d.error("step"), "thread 2 has ended: 'thread 1'", "a step in a thread that has ended while it was looked at is refused")
    d.do("thread 1")
    is_(d.go("step")["reason"], "return", "the thread that stopped still steps")
    d.run_out()
    is_(d.out, "end\n", "and the program ends as it does alone")
done()
