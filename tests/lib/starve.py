# SPDX-License-Identifier: BSD-3-Clause
"""Sweeps of failing allocations: one command, each of its allocations fails in turn (tests/lib/nomemory.c makes them fail).

CDBG_NOMEMORY_STEP: every how many-th allocation fails (default 7; 1 is all of them); CDBG_NOMEMORY: only commands with this text.
"""
import json
import os
import re
import signal
import time
from cdbgtest import Cdbg, Trouble, build, note, ok

__all__ = ["compiled_program", "Session", "libraries", "survive", "survive_points", "sweep_points"]

ONLY = os.environ.get("CDBG_NOMEMORY", "")
# A function of torch's binding ignored an exception; CPython 3.14 lost one in Python code, as it does without cdbg.  A function in
# C that returns nothing without an exception is a '<built-in ...>'.
OTHERS = re.compile(r"SystemError: (<instancemethod|error return without exception set|<function [^>]*> returned NULL without)")
# Without cdbg, too: iter(d.items()) crashes where its pair has no memory (dictiter_new() frees an iterator that is not tracked yet, 3.11).
ITEMS = re.compile(r'(?s)"opname":"GET_ITER".*"kind":"dict_items".*SIGSEGV')
MOST = 6000                                 # allocations; no command here makes as many
libraries = os.path.join(build, "tests", "lib", ".libs")            # where the program finds the module nomemory


def compiled_program(backend):
    """A program that calls a compiled function with two constants and a graph break, without end; its work() ends at 'end = n'."""
    return """
    import sys
    import torch
    sys.path.insert(0, %r)
    import nomemory as nm

    @torch.compile(backend=%r)
    def f(x, k):
        y = x * k
        if y.sum() > 0:
            y = y + 1
        return y

    def work(n):
        x = torch.ones(3)
        r = f(x, 2)
        r = f(x, 3)
        end = n
        return r

    while True:
        work(1)
    """ % (libraries, backend)


class Session:
    """A program that is stopped at a line with `text`, started again when it has ended.  It has nomemory as nm."""

    d = None

    def __init__(self, program, text, first=(), step=7):
        self.program, self.text, self.first = program, text, first
        self.step = int(os.environ.get("CDBG_NOMEMORY_STEP") or step)

    def begin(self):
        if self.d is None:
            self.d = Cdbg(self.program)
            self.d.do("break %d" % self.d.line_of(self.text))
            self.d.go()
            for line in self.first:
                self.d.do(line)
        return self.d

    def end(self):
        if self.d:
            self.d.close()
        self.d = None

    def disarm(self):
        """How many allocations there were."""
        os.kill(self.d.proc.pid, signal.SIGUSR2)
        return int(self.d.do("!nm.stop()")["text"])

    def attempt(self, line, fail, resumes):
        """fail: the call that arms the allocator."""
        d = self.begin()
        d.cmd("!nm." + fail)
        self.reply = reply = d.cmd(line)
        if resumes and reply["ok"]:
            stop = d.wait()
            if stop["event"] != "stopped" or stop.get("dead"):
                self.end()                  # the program itself had no memory
                return None
        return self.disarm()

    def record(self, line):
        """How many points of cdbg's own code `line` reaches, and how many allocations it makes."""
        self.begin().cmd("!nm.record()")
        self.d.cmd(line)
        made = self.disarm()
        return int(self.d.do("!nm.points()")["text"]), made


def sweep_points(s, line, count, limit, before=(), after=()):
    """As sweep(), but one allocation fails for each point of cdbg's own code: each of its error paths is taken once.
    before, after: commands around each attempt, with memory."""
    def around(lines):
        for other in lines:
            s.begin().cmd(other)

    def quiet():
        around(before)
        reply = s.begin().cmd(line)
        around(after)
        return reply

    whole = quiet()                         # what is made once is made with memory
    died, met, n, pid, began = [], 0, -1, None, time.monotonic()
    around(before)
    points, made = s.record(line)
    around(after)
    for n in range(points):
        if len(died) == 4 or time.monotonic() - began > limit:
            break
        try:
            s.begin()
            if s.d.proc.pid != pid and pid is not None:
                quiet()
                around(before)
                s.record(line)
                around(after)
            pid = s.d.proc.pid
            around(before)
            met += s.attempt(line, "fail_point(%d, %d)" % (n, count), False) >= 0
            text = json.dumps(s.reply)
            if "SystemError" in OTHERS.sub("", text) and "SystemError" not in json.dumps(whole):
                died.append((n, text[:300]))
            around(after)
        except Trouble as e:
            if not ITEMS.search(str(e)):
                died.append((n, str(e).split("\n")[0] + " ..." + str(e)[-1500:]))
            s.d = None
    try:
        again = quiet()
        if again["ok"] != whole["ok"]:
            died.append(("afterwards", json.dumps(again)[:500]))
    except Trouble as e:
        died.append(("afterwards", str(e)[-1500:]))
        s.d = None
    note("%s%s: %d allocations at %d points of cdbg, %d tried, %d reached"
         % (line, "" if whole["ok"] else " (refused: %s)" % whole["error"][:60], made, points, n + 1, met))
    return died


def sweep(s, line, count, resumes=False):
    """Where it died: [(which allocation, how)]."""
    died, first = [], 0
    if not resumes:
        s.begin().cmd(line)                 # what is made once is made with memory
    while first < MOST and len(died) < 4:
        try:
            seen = s.attempt(line, "fail(%d, %d)" % (first, count), resumes)
            if seen is not None and seen <= first:
                break
        except Trouble as e:
            if (resumes and "ended with status 1;" in str(e)) or ITEMS.search(str(e)):
                s.d = None                  # the program itself had no memory
                first += s.step
                continue
            died.append((first, str(e).split("\n")[0] + " ..." + str(e)[-500:]))
            s.d = None
        first += s.step
    try:
        if s.d and not resumes:
            s.begin().cmd("delete 2-1000")
            s.d.cmd("undisplay")
            s.d.cmd("frame 0")
    except Trouble as e:
        died.append(("afterwards", str(e)[-400:]))
        s.d = None
    return died


def survive(s, lines, resumes=False, many=40):
    """One fact for each line and way to fail.  many: CPython 3.11 aborts when 32 exceptions in a row cannot be made in
    Python code, so commands that run much of that need less; 0: only one fails at a time."""
    for line in lines:
        if ONLY in line:
            for count, how in ((1, "one fails"), (many, "many fail"))[:2 if many else 1]:
                died = sweep(s, line, count, resumes)
                ok(not died, "'%s' survives when %s of its allocations" % (line, how), "\n".join("%s: %s" % x for x in died))


def survive_points(s, line, before=(), after=(), many=16, limit=100):
    """One fact for each way to fail, at all points that the time (limit, in seconds) allows."""
    for count, how in ((1, "one fails"), (many, "many fail")):
        died = sweep_points(s, line, count, limit, before, after)
        ok(not died, "'%s' survives, at each point of cdbg, when %s of its allocations" % (line, how),
           "\n".join("%s: %s" % x for x in died))
