#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Checkpoints: the program goes back to a stop, with all that was there, and ends as if it had never been elsewhere.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from family import all_gone, processes

PROGRAM = """
    import random, sys
    random.seed(7)
    seen = []
    def f(i):
        seen.append((i, random.random()))
        return i
    for i in range(6):
        f(i)
    print("end", seen[-1], flush=True)
    sys.exit(len(seen))
"""

with Cdbg(PROGRAM) as d:
    is_(d.rows("info checkpoints"), [], "there are no checkpoints at first")
    like(d.error("checkpoint go 1"), "no checkpoint 1: 'info checkpoints' lists them", "nor can one go to them")
    d.do("break f")
    d.go()
    d.go()
    like(d.do("checkpoint")["text"], "checkpoint 1: 'checkpoint go 1' comes back here", "one is taken")
    row, = d.rows("info checkpoints")
    is_((row["checkpoint"], row["where"], row["kind"]), (1, "prog.py:5 (f)", "taken"), "it is listed")
    ok(0 < row["memory"] < 100e6, "and what memory it holds", row["memory"])
    is_(d.do("p i")["text"], "1", "the program itself stays where it is")
    d.go()
    d.go()
    future = d.do("p seen")["text"]
    pid = d.do("p __import__('os').getpid()")["text"]
    is_(pid, str(d.proc.pid), "in the process that was started")
    stop = d.go("checkpoint go 1")
    is_((stop["reason"], stop["frame"]["line"]), ("breakpoint", 5), "going back shows the same stop")
    like(d.notes[-1]["text"], "back at checkpoint 1, in process \\d+", "and says where it is")
    is_(d.do("p i, len(seen)")["text"], "(1, 1)", "the variables are as they were")
    rows = d.rows("info checkpoints")
    is_([(r["checkpoint"], r["kind"]) for r in rows], [(1, "taken"), (2, "left")],
        "the checkpoint stays, and the process that was started waits")
    is_(rows[1]["process"], d.proc.pid, "as it does")
    d.go()
    d.go()
    is_(d.do("p seen")["text"], future, "forwards again the same happens, random numbers included")
    d.do("checkpoint")
    d.go("checkpoint go 1")
    is_(d.do("p i")["text"], "1", "back again")
    is_([r["checkpoint"] for r in d.rows("info checkpoints")], [1, 2, 3], "a later checkpoint stays")
    d.go("checkpoint go 3")
    is_(d.do("p seen")["text"], future, "and one can go to it")
    d.go("checkpoint go 2")
    is_(d.do("p __import__('os').getpid()")["text"], str(d.proc.pid), "the process that was started takes its turn again")
    is_(d.do("p seen")["text"], future, "as it was left")
    is_(d.notes[-1]["text"], "back in the process that was started, as it was left", "and says so")
    like(d.error("checkpoint go 2"), "no checkpoint 2", "it is no checkpoint then")
    is_(d.do("delete checkpoint 3")["text"], "checkpoint 3 deleted", "one is deleted")
    is_([r["checkpoint"] for r in d.rows("info checkpoints")], [1], "and gone")
    # what is set stays
    d.do("delete 1")
    d.do("break 8 if i == 4")
    d.do("set listsize 5")
    d.do("display i")
    d.go("checkpoint go 1")
    is_([r["number"] for r in d.rows("info breakpoints")], [2], "breakpoints stay as they are set now, also those that are deleted")
    like(d.do("show listsize")["text"], r"\b5\b", "and so do options")
    is_(len(d.rows("info display")), 1, "and displays")
    pids = list(processes(d).values())
    stop = d.go()
    is_((stop["reason"], d.do("p i")["text"]), ("breakpoint", "4"), "the breakpoint stops there")
    end = d.go()
    is_((end["event"], end["status"]), ("exited", 6), "the program ends with its own status")
    like(d.out, r"^end \(5, 0\.\d+\)\n$", "and its output comes")
    d.do("quit")
is_(d.proc.wait(), 6, "the process that was started ends like it")
is_(all_gone(pids), [], "and no other is left")

with Cdbg(PROGRAM) as d:
    d.do("break f")
    d.go()
    d.do("checkpoint")
    d.go()
    d.send("checkpoint go 1\np i\ncontinue\np i")
    d.answer("checkpoint go 1")
    is_(d.answer("p i")["text"], "0", "lines that came with the one that goes back are run there")
    d.answer("continue")
    is_(d.answer("p i")["text"], "1", "in their order")
    d.do("delete 1")
    d.go()
    is_(d.exited and d.exited["status"], 6, "the program ends")
    d.go("checkpoint go 1")
    is_(d.do("p i")["text"], "0", "from its end one can go back, too")
    pids = list(processes(d).values())
    d.do("quit 3")
is_(d.proc.wait(), 3, "quit gives its status")
is_(all_gone(pids), [], "and ends all of them")

# in a frame of a generator, in an exception, by a breakpoint's commands
with Cdbg("""
    def g():
        for i in range(3):
            yield i
    def f():
        try:
            1 / 0
        except ZeroDivisionError as e:
            print("handled", flush=True)
            raise KeyError(4) from e
    it = g()
    next(it)
    x = next(it)
    try:
        f()
    except KeyError as e:
        print(repr(e), repr(e.__cause__), flush=True)
    print(next(it), flush=True)
""") as d:
    d.do("break 8")
    d.go()
    d.do("checkpoint")
    d.go("next")
    d.go("checkpoint go 1")
    d.do("delete 1")
    end = d.go()
    is_(d.out, "handled\nhandled\nKeyError(4) ZeroDivisionError('division by zero')\n2\n",
        "an exception being handled and a generator go on, and what was printed stays")
    is_(end["status"], 0, "to the end")
done()
