#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The full screen of a process whose main thread waits in C code, which a thread of cdbg's own serves."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *  # noqa: E402,F403
from cdbgtest import PATIENCE, argv  # noqa: E402
from attaching import Running  # noqa: E402

# CDBG_READY is for the session, which is there.
p = Running("""
import ctypes, threading
libc, lock = ctypes.CDLL(None), ctypes.create_string_buffer(64)
def go():
    while not os.path.exists(END + ".go"):
        time.sleep(0.01)
    libc.pthread_mutex_unlock(lock)
class Box:
    def wait(self, n):
        here = [n, "ä"]
        here.append(libc.pthread_mutex_lock(lock))
        return after(here)
def after(here):
    n = len(here)
    return n
libc.pthread_mutex_lock(lock)
threading.Thread(target=go).start()
ready()
Kept.before[1] -= 1
got = Box().wait(6)
while not over(): time.sleep(0.01)
tell(got == 3)
""", {"CDBG_READY": "%d" % (3000 * PATIENCE)})

with Screen(None, command=argv("-m", "cdbg", "-nx", "-p", str(p.pid)), wait=False) as s:
    s.see("stopped: interrupt (runs C code) · Box.wait prog.py:%d" % p.line("here.append")).settled()
    like(s.row("here.append"), "▶", "the screen shows where it waits, and why nothing moves")
    s.line("step")
    like(s.text, "the thread runs C code, so it cannot step", "a step is refused with the reason")
    s.line("print here, n")
    like(s.text, r"\(\[6, 'ä'\], 6\)", "a variable is shown")
    s.line("focus locals")
    like("\n".join(s.pane("locals")), r"here +\[6, 'ä'\]", "a pane, too")
    s.keys(":")
    s.line("break after")
    s.line("continue", wait=False)
    s.see("running")
    s.keys("\x03", wait=False)
    s.see("stopped: interrupt (runs C code)").settled()
    ok("Box.wait" in s.text, "Ctrl-C stops it again", lambda: s.text)
    s.line("continue", wait=False)
    s.see("running")
    open(p.flag + ".go", "w").close()
    s.see("stopped: breakpoint 1 · after").settled()
    like(s.row("n = len"), "▶", "when its call is over a breakpoint is hit")
    s.stopped("next", "step")
    like(s.row("return n"), "▶", "and it can step")
    s.line("detach", wait=False)
    is_(s.ended(), 0, "detach gives the terminal back")
is_(p.end(), ("right 0", 0), "its result is right, and it has no descriptor more than before")
done()
