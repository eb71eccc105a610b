#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The record of a process that was killed: where it was, its values and frames, going back, what needs a process."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from records import killed

TEXT = """\
import os, signal, threading

def inner(k):
    r = k * 2
    if k == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return r + 1

def f(n):
    total = 0
    name = "hello world"
    for i in range(n):
        total += inner(i)
    return total

def other(x):
    return x + 0.5

print("start")                          # warm
t = threading.Thread(target=other, args=(1,))
t.start()
t.join()
f(5)
"""
path, record = killed(TEXT, "f inner other")


def opened(*commands):
    return python("-m", "cdbg", "-nx", "--plain", "--post-mortem", record, input="\n".join(commands) + "\n")


with Cdbg(record, options=("-nx", "--post-mortem")) as d:
    stop = d.stop
    frame = stop["frame"]
    is_((frame["function"], frame["line"], frame["file"]), ("inner", line_of(path, "os.kill"), path), "it shows the function and the line of its death")
    like(frame["opname"], r"^CALL", "before the instruction that called kill()")
    ok(stop["past"]["pid"] > 1 and stop["past"]["instructions"] == 0 and stop["past"]["call"] == 4, "the process is named, and the call counted", stop["past"])
    is_([(r["name"], r["value"]) for r in d.rows("info locals")], [("k", "3"), ("r", "6")], "variables have their values")
    like(" ".join(r["value"] or "" for r in d.rows("info stack")), r"<builtin_function_or_method at .*> .*%d <Signals at" % stop["past"]["pid"],
         "the value stack has the arguments of the call")
    is_([(r["function"], r["line"]) for r in d.rows("info frames")], [("inner", 6), ("f", 13)], "the frames are there")
    is_([r["index"] for r in d.rows("info code") if r["current"]], [r["index"] for r in d.rows("info code") if r["offset"] == frame["offset"]],
        "the code is listed from the record, and the instruction marked")
    like(d.text("disassemble"), r"(?m)^code of inner, \d+ instructions, from the record$(.*\n)*=> +%d  CALL" % frame["offset"], "disassemble as well")
    like(d.text("disassemble f"), r"FOR_ITER", "that of another function of the record")
    ok(any(r["current"] and "os.kill" in r["text"] for r in d.rows("info source")), "the source comes from its file")
    last = d.rows("info history 11")
    numbers = [r["number"] for r in last]
    d.go("rstepi 10")
    here = d.stop["frame"]
    is_((d.stop["past"]["number"], d.stop["past"]["instructions"], here["offset"]), (numbers[0], -10, last[0]["offset"]),
        "ten instructions back is where the history says")
    is_([r["value"] for r in d.rows("info locals") if r["name"] == "k"], ["3"], "with the values of that moment")
    is_(d.text("print k").strip(), "3", "print answers from the record")
    for _ in range(10):
        d.go("stepi")
    is_((d.stop["past"]["instructions"], d.stop["frame"]["offset"]), (0, frame["offset"]), "stepi goes forward again")
    is_(d.error("stepi"), "the record ends here: no recorded code ran after this", "as far as the last instruction")
    is_(d.error("now"), "there is no present: this is the record of a process that is gone", "there is no present")
    d.go("rfinish")
    is_((d.stop["frame"]["function"], {r["name"]: r["value"] for r in d.rows("info locals")}["total"]), ("f", "9"), "rfinish goes to the call")
    is_([r["value"] for r in d.rows("info writes total")], ["9", "4", "1", "0"], "info writes has each value, newest first")
    is_([r["result"] for r in d.rows("info calls inner")], ["1", "3", "5", None], "info calls has arguments and results; the last never returned")
    is_({r["function"]: r["count"] for r in d.rows("info time")}["inner"], 3, "info time counts the calls that ended")
    d.go("go -3")
    is_(d.stop["past"]["instructions"], -3, "go counts from the last instruction")
    is_([(r["thread"], r["function"], r["current"]) for r in d.rows("info threads")], [(1, "inner", True), (2, "other", False)],
        "the threads of the record are listed, the newest first")
    d.go("thread 2")
    is_((d.stop["thread"], d.stop["frame"]["function"], [r["value"] for r in d.rows("info stack")]), (2, "other", ["1.5"]), "another one can be looked at")
    like(d.error("thread 7"), r"no thread 7: 'info threads' lists them", "one that does not exist is refused")
    d.go("thread 1")
    for line in ("set var k = 1", "python 1", "record", "until", "jump 3", "info python", "display k", "restart",
                 "checkpoint", "print k + 1", "k.__class__"):
        like(d.error(line), r"^this is the record of a process that is gone: it is only read", "refused, since it needs a process: %s" % line)
    is_(d.error("print total"), "no variable 'total' in inner then: the past has variables and slots only", "other names are not known")

out = opened("bt", "quit")
is_((out.returncode, out.stderr), (0, ""), "quit gives status 0")
like(out.stdout, r"RECORD of process \d+, which is gone: its last instruction \(call 4 of inner\): read-only", "a person sees what this is")
is_(opened().returncode, 0, "as does the end of the input")
is_(opened("quit 7").returncode, 7, "and quit takes a status")

# The names in a file are text of somebody else.
with open(record, "rb") as file:
    data = file.read()
with open(record, "wb") as file:
    file.write(data.replace(b"inner", b"\x1b[31m").replace(b"hello", b"\xffello"))
out = opened("bt", "disassemble", "info calls", "info history 40", "up", "locals", "disassemble f")
is_(out.returncode, 0, "names with control characters and bytes that are not UTF-8 can be looked at")
ok("\x1b" not in out.stdout + out.stderr and "31m" in out.stdout, "and none of them reaches the terminal", out.stdout[:600])
with Cdbg(record, options=("-nx", "--post-mortem")) as d:
    is_(d.stop["frame"]["function"], "\x1b[31m", "machines get it as it is")

# Source that was changed later.
with open(record, "wb") as file:
    file.write(data)
os.utime(record, (1000000000, 1000000000))
like(opened("quit").stdout, r"its source was changed after the record was written", "source that is newer than the record is said to be")

for what, words, why in (("no file", [record + "x"], r"cannot read '.*x': No such file"), ("a folder", [os.path.dirname(record)], r"cannot read"),
                         ("other text", [path], r"this is no record of cdbg"), ("a device", ["/dev/zero"], r"cannot read"),
                         ("a program too", [record, path], r"--post-mortem runs nothing"), ("no name", [], r"'--post-mortem' needs a value")):
    out = python("-m", "cdbg", "--post-mortem", *words)
    is_(out.returncode, 2, "status 2 for %s" % what)
    like(out.stderr, why, "with the reason")
done()
