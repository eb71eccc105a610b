#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A program that ends by os._exit() stays readable as any other: the screen says with what status it ended, and offers to
# restart; the status is kept.  Where a signal ended it, a line names the signal.
import os
import re
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

BODY = """
    import os, sys, threading
    def work(n):
        total = n + 1
        return total
    print(work(4), flush=True)
    %s
"""
for end, status in (("os._exit(7)", 7), ("os._exit(0)", 0), ("os._exit(256 + 3)", 3), ("threading.Thread(target=os._exit, args=(9,)).start(); threading.Event().wait()", 9),
                    ("try:\n        os._exit('seven')\n    except TypeError:\n        os._exit(status=True)", 1)):
    what = end.split(";")[0].split("\n")[-1].strip() + ": "
    with Screen(BODY % end, options=["-q"]) as s:
        s.line("break work").stopped("continue", "breakpoint")
        s.line("delete 1").line("continue", wait=False).see("the program ended with status %d: restart or quit" % status).settled()
        like("\n".join(s.pane("source")), "def work", what + "the last source stays")
        s.line("list work")
        like(s.text, r"total = n \+ 1", what + "list answers")
        s.keys("\x1b\x1b").line("print total")
        like(s.text, "has ended", what + "a command that needs the program says that it has ended")
        s.keys("\x1b\x1b").line("quit", wait=False)
        is_(s.ended(), status, what + "the status is kept")
        ok(s.sane, what + "the terminal is as it was", s.after)

with Screen(BODY % "os._exit(7)", options=["-q"]) as s:
    s.line("break work").line("continue").line("continue", wait=False).see("ended with status 7").settled()
    s.line("restart", wait=False)
    s.sent = 0                          # it is another process, which counts again
    s.see("stopped: start").settled()
    s.stopped("continue", "breakpoint 1")
    like(s.row("^ stopped"), "work .*:3", "restart runs it again, with its breakpoints")

with Screen(BODY % "pass", options=["-q"]) as s:
    s.line("break work").stopped("continue", "breakpoint")
    s.line("print os._exit(4)", wait=False)
    is_(s.ended(), 4, "os._exit() that the user evaluates ends it at once")

with Screen("import os\nprint(os.waitstatus_to_exitcode(os.waitpid(os.fork() or os._exit(6), 0)[1]), 'of a child')\nos._exit(5)\n", options=["-q"]) as s:
    s.line("continue", wait=False).see("ended with status 5").settled()
    like(s.text, "6 of a child", "a forked child ends at once")

for name in "SIGTERM", "SIGABRT", "SIGSEGV":
    with Screen("import os, signal, time\nprint('last', flush=True)\nos.kill(os.getpid(), signal.%s)\ntime.sleep(60)\n" % name, options=["-q"]) as s:
        s.line("continue", wait=False)
        is_(s.ended(), -getattr(signal, name), name + " ends it")
        like(s.after, r"last\n[^\n]*\n?cdbg: the program %s by %s\n" % ("was ended" if name == "SIGTERM" else "crashed", name), "and a line on the terminal names it")
        ok(s.sane, "and is as it was", s.after)
done()
