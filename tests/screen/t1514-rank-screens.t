#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The full screen of a rank on the controller's terminal: the row of the ranks, another rank, sizes, and ends of all kinds."""
import os
import re
import signal
import sys
import termios
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *  # noqa: E402,F403
from cdbgtest import argv  # noqa: E402

WORLD = 3
LAUNCH = script("""
    import os, subprocess, sys
    def rank(r):
        return subprocess.Popen([sys.executable, "-u", *sys.argv[1:]], env=dict(os.environ, RANK=str(r), WORLD_SIZE="%d", LOCAL_RANK=str(r)))
    procs = [rank(r) for r in range(%d)]
    sys.exit(max(p.wait() for p in procs))
""" % (WORLD, WORLD), name="launch.py")
PROGRAM = script("""
    import os, sys, time
    r = int(os.environ["RANK"])
    def f(n):
        mine = n + 10 * r
        return mine
    f(1)
    while os.path.exists(sys.argv[1]):
        time.sleep(0.01)
    sys.exit(r)
""")
GATE = PROGRAM + ".gate"


def opened(rank=""):
    """A controller that shows a rank's screen."""
    s = Screen(None, command=argv("-m", "cdbg", "--ranks", "--", interpreter(), LAUNCH, PROGRAM, GATE), wait=False)
    s.modes = termios.tcgetattr(s.slave)
    says(s, r"^\(rank 0\)")
    show(s, rank)
    return s


def type_in(s, text):
    os.write(s.fd, text.encode())


def says(s, pattern, name=None):
    """Waits until the terminal has this; a fact, if it has a name."""
    s.until(lambda: re.search(pattern, s.text, re.M), pattern)
    if name:
        like(s.text, pattern, name)


def first(s):
    return s.text.split("\n")[0].rstrip()


def row(s, pattern, name=None):
    """Waits until the first row of the terminal is this; a fact, if it has a name."""
    s.until(lambda: re.search(pattern, first(s)), pattern)
    if name:
        like(first(s), pattern, name)


def show(s, rank, name=None):
    type_in(s, "screen %s\r" % rank)
    row(s, r"^rank %s  " % (rank or 0))
    says(s, r"^ 1 source ", name)


def at_prompt(s, name):
    """The screen was left: the prompt takes a line, and the terminal is as it was."""
    s.until(lambda: re.search(r"^\(rank \d\) *$", s.text, re.M) and " 1 source" not in s.text, name)
    type_in(s, "show ranks-patience\r")
    says(s, r"^ranks-patience is 1 s")
    ok(s.raw.rfind(b"\x1b[?1049l") > s.raw.rfind(b"\x1b[?1049h"), name)


def over(s):
    type_in(s, "quit\r")
    s.until(lambda: s.proc.poll() is not None or not s.pump(0.1) and s.proc.poll() is not None, "the end")
    is_(s.proc.wait(60), 0, "the controller ends")
    is_(termios.tcgetattr(s.slave)[:4], s.modes[:4], "... with the terminal as it was")


# ---- a session ----

open(GATE, "w").close()
s = opened()
row(s, r"^rank 0  \[0-2\] stopped start <module> prog\.py:1$", "the screen of the chosen rank has a row of all ranks above it")
says(s, r"^\(cdbg\)")
ok(s.text.split("\n")[-1].startswith(" Tab complete"), "... the rank's own rows end with the terminal")
type_in(s, "break f\r")
says(s, r"breakpoint 1 at")
type_in(s, "continue\r")
row(s, r"^rank 0  \[0\] stopped breakpoint f prog\.py:4  \[1-2\] stopped start", "what the rank does on its screen is told in the row, and the others stand")
type_in(s, "\x18r")
row(s, r"^rank: ")
type_in(s, "2")
row(s, r"^rank 2  \[0\] stopped breakpoint .*\[1-2\] stopped start")
says(s, r"▶ 1 import os, sys, time", "C-x r and a number shows another rank")
type_in(s, "\x18r7")
row(s, r"^rank 2  rank 7: there is no such rank", "one that does not exist is told in the row")
s.rows, s.cols = 30, 100
s.screen.resize(30, 100)
s._size()
row(s, r"^rank 2  ")
says(s, r"^ 1 source .{80,}$")
is_(len(s.text.split("\n")), 30, "another size of the terminal reaches the rank")
type_in(s, "focus ranks\r")
says(s, r"^\W*0 +stopped breakpoint f prog\.py:4", "the pane ranks tells what all of them do")
says(s, r"^\W*1-2 +stopped start", "... those that do the same in one row")
type_in(s, "\x1b[<0;12;%dM" % (1 + next(i for i, line in enumerate(s.text.split("\n")) if re.match(r"\W*1-2 +stopped", line))))
type_in(s, "\r")
row(s, r"^rank 1  ")
says(s, r"^ 1 source .{80,}$", "a click on a row there selects it")
type_in(s, "focus ranks\r")
says(s, r"^\W*1-2 +stopped start")
type_in(s, "gg\r")
row(s, r"^rank 0  ")
says(s, r"^ 1 source .{80,}$", "Enter there shows the screen of another rank")
type_in(s, "\x18a")
at_prompt(s, "C-x a leaves the screen for the prompt")
type_in(s, "rank 2\r")
says(s, r"^\[2\] stopped ")
type_in(s, "rank all print 40 + 2\r")
says(s, r"^\[0-2\] 42 *$", "... where all ranks take commands again")
show(s, 2, "the screen can be shown again")
type_in(s, "\x18rq")
at_prompt(s, "C-x r q leaves it, too")
type_in(s, "rank 2 print 40 + 3\r")
says(s, r"^\[2\] 43 *$", "... and the rank takes commands of the prompt")

# ---- ends ----

pid = [int(p) for p in re.findall(r"\S+", os.popen("pgrep -P $(pgrep -P %d -f launch.py) | sort -n" % s.pid).read())]
is_(len(pid), WORLD, "the ranks are processes")
show(s, 1)
os.kill(pid[1], signal.SIGKILL)
at_prompt(s, "a rank that is killed leaves the prompt")
type_in(s, "ranks\r")
says(s, r"^\(rank \d\) ranks\n.*\n\[1\] ended by SIGKILL", "... which tells how it ended")
type_in(s, "screen 1\r")
says(s, r"^error: rank 1: it has ended", "... and its screen cannot be shown")
show(s, 0)
type_in(s, "delete 1\r")
says(s, r"^\(cdbg\) delete 1")
type_in(s, "continue\r")
row(s, r"\[0\] running")
type_in(s, "\x03")
row(s, r"\[0\] stopped interrupt", "Ctrl-C stops the rank whose screen is shown")
os.unlink(GATE)
type_in(s, "continue\r")
at_prompt(s, "a rank that ends leaves the prompt")
type_in(s, "ranks\r")
says(s, r"^\[0\] ended with status 0", "... which tells its status")
over(s)

open(GATE, "w").close()
s = opened(2)
s.proc.send_signal(signal.SIGTERM)
is_(s.proc.wait(60), -signal.SIGTERM, "SIGTERM ends the controller")
while s.pump(1):
    pass
is_(termios.tcgetattr(s.slave)[:4], s.modes[:4], "... with the terminal as it was")
ok(s.raw.rfind(b"\x1b[?1049l") > s.raw.rfind(b"\x1b[?1049h"), "... and the screen left")
os.unlink(GATE)

# ---- where there is none ----

r = python("-m", "cdbg", "--ranks", "-ex", "screen", "-batch", "--", interpreter(), LAUNCH, PROGRAM, GATE)
like(r.stdout, r"error: there is no terminal here for a screen", "without a terminal it is refused")
done()
