#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Memory that runs out: the interpreter's allocations fail one after another while a command runs, each alone and
then all that follow for a while.  The process lives and answers, and the command works again when there is memory.

CDBG_NOMEMORY_STEP: every how many-th allocation fails (default 7; 1 is all of them); CDBG_NOMEMORY: only commands with
this text."""
import os
import signal
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *  # noqa: E402,F403

PROG = """
    import sys, threading, traceback, linecache, inspect
    sys.path.insert(0, %r)
    import nomemory as nm
    class Point:
        def __init__(self, x):
            self.x = x
        def __repr__(self):
            return "Point(%%d)" %% self.x
    class Error(Exception):
        pass
    def helper(a):
        try:
            raise Error("a")
        except Error:
            b = [a, a]
        return len(b)
    def gen(n):
        for i in range(n):
            yield helper(i)
    def work(n, *rest, key=None, **more):
        p, t, d, big = Point(n), (1, 2.5, "text"), {"a": [1, 2]}, 10 ** 30
        def inner():
            return p.x + n
        total = 0
        for i in gen(3):
            total += i
            total += inner()
            k = "end"
        return total
    total = 5
    while True:
        work(2, 3, key="k", other=None)
""" % os.path.join(build, "tests", "lib", ".libs")

STEP = int(os.environ.get("CDBG_NOMEMORY_STEP") or 7)
ONLY = os.environ.get("CDBG_NOMEMORY", "")
MOST = 6000                                 # allocations; no command here makes as many

LOOKS = ["info locals", "info stack", "bt", "info frame", "info threads", "info breakpoints", "info display", "info code",
         "disassemble", "list", "ll work", "help break", "info cdbg", "complete break w", "complete p p.", "print p",
         "print [p, d, t, big]", "print nosuch", "print 1/0", "print $0", "print __stack__", "whatis p", "frame 1", "thread 1"]
CHANGES = ["display total + 1", "break helper", "break work if n > 1", "tbreak gen*10", "condition 1 n == 2", "catch exception Error",
           "watch total", "break Point.__init__", "break prog.py:14", "break opcode:RETURN_VALUE", "set var total = total", "x = [1, 2]",
           "set stack 0 = None", "jump ."]
GOES = ["step", "next", "stepi", "nexti", "finish", "until", "continue", "advance helper"]


class Session:
    """A program that is stopped in work(), started anew when it is gone."""

    d = None

    def begin(self):
        if self.d is None:
            self.d = Cdbg(PROG)
            self.d.do("break %d" % self.d.line_of('k = "end"'))
            self.d.go()
        return self.d

    def end(self):
        if self.d:
            self.d.close()
        self.d = None

    def disarm(self):
        """How many allocations there were."""
        os.kill(self.d.proc.pid, signal.SIGUSR2)
        return int(self.d.do("!nm.stop()")["text"])

    def attempt(self, line, first, count, resumes):
        d = self.begin()
        d.cmd("!nm.fail(%d, %d)" % (first, count))
        reply = d.cmd(line)
        if resumes and reply["ok"]:
            stop = d.wait()
            if stop["event"] != "stopped" or stop.get("dead"):
                self.end()                  # the program itself had no memory
                return None
        return self.disarm()


def sweep(s, line, count, resumes=False):
    """Where it died: [(which allocation, how)]."""
    died, first = [], 0
    if not resumes:
        s.begin().cmd(line)                 # what is made once is made with memory
    while first < MOST and len(died) < 4:
        try:
            seen = s.attempt(line, first, count, resumes)
            if seen is not None and seen <= first:
                break
        except Trouble as e:
            if resumes and "ended with status 1;" in str(e):
                s.d = None                  # the program itself had no memory
                first += STEP
                continue
            died.append((first, str(e).split("\n")[0] + " ..." + str(e)[-500:]))
            s.d = None
        first += STEP
    try:
        if s.d and not resumes:
            s.begin().cmd("delete 2-1000")
            s.d.cmd("undisplay")
            s.d.cmd("frame 0")
    except Trouble as e:
        died.append(("afterwards", str(e)[-400:]))
        s.d = None
    return died


s = Session()
for lines, resumes in ((LOOKS, False), (CHANGES, False), (GOES, True)):
    for line in lines:
        if ONLY in line:
            for count, how in ((1, "one fails"), (40, "many fail")):
                died = sweep(s, line, count, resumes)
                ok(not died, "'%s' survives when %s of its allocations" % (line, how), "\n".join("%s: %s" % x for x in died))
s.end()
done()
