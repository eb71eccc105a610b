#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Checkpoints from the command line, and how the process that was started passes on what befalls the one that runs.
import os
import re
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from family import all_gone, lives

LOOP = """
    import os, sys, time
    def f(i):
        return i
    for i in range(4):
        f(i)
    print("pid", os.getpid(), "end", flush=True)
    %s
"""


status, out, err = run(LOOP % "sys.exit(5)", commands="break f;c;checkpoint;c;c;p i;checkpoint go 1;p i;delete;c".split(";"),
                       options=["--plain"])
like(out, r"(?s)\n2\nback at checkpoint 1, .*\n0\n.*end", "commands from a pipe: those that follow are run after going back")
is_(status, 5, "and the status is the program's")

path = script("break f\ncontinue\ncheckpoint\ncontinue\np i\ncheckpoint go 1\np i + 100\ncontinue\np i + 200\nquit 9\n", "c.cdbg")
status, out, err = run(LOOP % "pass", options=["--plain", "-x", path])
like(out, r"(?s)\n1\n.*back at checkpoint 1.*\n100\n.*\n201\n", "a file of commands goes on, and is not run twice")
is_(status, 9, "and ends the program")


def at_terminal(end):
    t = Terminal(LOOP % end, options=("--plain", "-q"))
    t.expect(r"\(cdbg\) ")
    for line in ("break f", "c", "checkpoint", "c"):
        t.line(line)
        t.expect(r"\(cdbg\) $")
    t.line("checkpoint go 1")
    t.expect(r"back at checkpoint 1, in process (\d+)")
    t.expect(r"\(cdbg\) $")
    t.line("p i")
    t.expect(r"\n0\n")
    t.line("info checkpoints")
    pids = [int(t.expect(r"taken +(\d+)").group(1)), int(t.expect(r"left +(\d+)").group(1))]
    is_(pids[1], t.pid, "at a terminal: the process that was started waits")
    t.line("delete 1")
    t.line("c")
    t.expect(r"^pid (\d+) end")
    pids.append(int(re.search(r"^pid (\d+) end", t.text, re.M).group(1)))
    return t, pids


with at_terminal("time.sleep(600)")[0] as t:
    t.send("\x03")
    like(t.expect("stopped: \\w+").group(), "interrupt", "Ctrl-C stops the one that runs")
    t.line("quit")
    t.expect("y or n")
    t.line("y")
    is_(t.ended(), 0, "quit")

t, pids = at_terminal("time.sleep(600)")
with t:
    os.kill(t.pid, signal.SIGTERM)
    is_(t.ended(), -signal.SIGTERM, "SIGTERM to the process that was started ends the one that runs, and it ends like that")
    is_(all_gone(pids), [], "none is left")

t, pids = at_terminal("import signal; signal.signal(signal.SIGUSR1, lambda *a: sys.exit(11)); print('ready', flush=True); time.sleep(600)")
with t:
    t.expect("ready")
    os.kill(t.pid, signal.SIGUSR1)
    t.expect("ended with status 11")
    t.line("quit")
    is_(t.ended(), 11, "a signal that the program handles is passed on")

t, pids = at_terminal("os.kill(os.getpid(), 9)")
with t:
    is_(t.ended(), -signal.SIGKILL, "the one that runs is killed: so is the one that was started")
    is_(all_gone(pids), [], "and all that wait")

t, pids = at_terminal("time.sleep(600)")
with t:
    ok(all(map(lives, pids)), "all live")
    os.kill(t.pid, signal.SIGKILL)
    t.ended()
    is_(all_gone(pids), [], "the one that was started is killed: so are all")

t, pids = at_terminal("os.kill(os.getpid(), signal.SIGSTOP); print('continued', flush=True)".replace("os.kill", "import signal; os.kill"))
with t:
    end = time.monotonic() + 60
    while open("/proc/%d/stat" % t.pid).read().rpartition(")")[2].split()[0] != "T" and time.monotonic() < end:
        time.sleep(0.01)
    is_(open("/proc/%d/stat" % t.pid).read().rpartition(")")[2].split()[0], "T", "one that stops, as by Ctrl-Z, stops the one that was started")
    os.kill(t.pid, signal.SIGCONT)
    t.expect("continued")
    t.expect("ended with status 0")
    t.line("quit")
    is_(t.ended(), 0, "and SIGCONT continues both")
done()
