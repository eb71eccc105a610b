#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A rank whose screen is shown goes on to serve its controller: both give commands and see what happens."""
import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402
from ranks import LIMIT, Controller  # noqa: E402

PROGRAM = script("""
    def f(n):
        m = n + 1
        return m
    for i in range(1000):
        f(i)
""")


class Pty:
    """A terminal of the controller; what was drawn is kept as it came."""

    def __init__(self):
        self.fd, self.slave = os.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.name, self.text = os.ttyname(self.slave), ""
        st = os.stat(self.name)
        self.where = "tui enable %s %d %d vt100" % (self.name, st.st_dev, st.st_ino)

    def until(self, pattern):
        end = time.monotonic() + LIMIT
        while not re.search(pattern, self.text):
            if not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
                raise cdbgtest.Trouble("no %r on the screen; it has\n%r" % (pattern, self.text[-2000:]))
            self.text += os.read(self.fd, 65536).decode("utf-8", "replace")
        return True

    def type(self, text):
        self.text = ""
        os.write(self.fd, text.encode())


def events(rank, *names):
    """Those up to the first of these names."""
    seen = []
    while (obj := rank.next()) is not None:
        if "event" in obj:
            seen.append(obj["event"])
        if obj.get("event") in names:
            break
    return seen


folder = tempfile.mkdtemp(prefix="cdbg-beside-")
c = Controller(folder)
proc = subprocess.Popen(cdbgtest.argv(PROGRAM), stdin=subprocess.DEVNULL, env=cdbgtest.environment(c.environment(0, 1)))
rank, hello = c.welcome()
rank.event("stopped")
t = Pty()
ok(rank.cmd(t.where)["ok"], "a rank shows its screen")
t.until(r"\(cdbg\)")
is_(rank.cmd("print 40 + 2", **{"as": "text"}).get("text"), "42", "... and answers its controller meanwhile")
like(rank.cmd(t.where)["error"], r"shown already", "... but shows no second one")
ok(rank.cmd("break f")["ok"], "the controller sets a breakpoint")
t.type("info breakpoints\r")
ok(t.until(r"prog\.py:2"), "... which the screen knows")
END = chr(30)
rank.cmd("tui ranks [0,2] stopped start a.py:1" + END + "[1] running" + END)
like(rank.cmd("info ranks", **{"as": "text"})["text"], r"^ *ranks +state *\n=> 0,2 +stopped start a\.py:1 *\n *1 +running", "the controller tells what all ranks do")
t.type("info ranks\r")
ok(t.until(r"running"), "... and the screen shows it")
t.type("tui rank 2\r")
is_(rank.event("screen-wanted")["rank"], 2, "the screen asks for that of another rank")
rank.send({"id": 1000, "command": "continue"})
seen = events(rank, "stopped")
is_(seen.count("stopped"), 1, "what the controller continues stops for both, and is told once")
t.until(r"m = n \+ 1")
t.type("print n * 1000 + 1\r")
ok(t.until(r"(?<!\d)1(?!\d)"), "the screen takes commands")
t.type("next\r")
seen = events(rank, "stopped")
is_(seen, ["running", "stopped"], "what the screen continues is told to the controller")
is_(rank.cmd("print m", **{"as": "text"}).get("text"), "1", "... which sees where it stands")
t.type("continue\r")
is_(events(rank, "stopped"), ["running", "stopped"], "... and so for the next stop")
rank.send({"id": 2000, "command": "tui disable"})
left = []
while "screen-left" not in left or not any(o == 2000 for o in left):
    obj = rank.next()
    left.append(obj.get("event") or obj.get("id"))
is_(sorted(map(str, left)), ["2000", "screen-left"], "the controller ends the screen, and has an answer")
is_(rank.cmd("print 1", **{"as": "text"}).get("text"), "1", "commands are answered as before")
u = Pty()
ok(rank.cmd(u.where)["ok"], "another screen is shown")
u.until(r"\(cdbg\)")
os.close(u.fd), os.close(u.slave)
ok(rank.event("screen-left"), "a terminal that is closed leaves it")
is_(rank.cmd("print 2", **{"as": "text"}).get("text"), "2", "... and the rank serves its controller")
v = Pty()
rank.cmd(v.where)
v.until(r"\(cdbg\)")
rank.close()
os.close(v.fd), os.close(v.slave)
is_(proc.wait(LIMIT), 0, "a controller that goes while the screen is shown leaves the program running to its end")
done()
