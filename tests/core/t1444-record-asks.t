#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a record is asked: the last instructions, who wrote a value, calls, time; and a record in a file."""
import os
import signal
import stat
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

TEXT = """\
def half(x):
    if x < 0:
        raise ValueError(x)
    y = x / 2
    return y

def f(n):
    total = 0.0
    for i in range(n):
        try:
            total += half(i - 1)
        except ValueError:
            total = float("nan")
    return total

start = 1
f(3)
last = 1                                # stop
"""

with Cdbg(TEXT) as d:
    d.cmd("break %d" % d.line_of("start = 1"))
    d.go()
    d.do("record f half")
    d.cmd("break %d" % d.line_of("# stop"))
    d.go()
    rows = d.rows("info history 6")
    is_([r["opname"].replace("_BORROW", "") for r in rows][-2:], ["LOAD_FAST", "RETURN_VALUE"], "info history ends with the last instruction")
    is_((len(rows), rows[-2]["made"], rows[-1]["function"]), (6, "nan", "f"), "it has as many as asked for, and what each made")
    writes = d.rows("info writes total")
    is_([r["value"] for r in writes], ["nan", "nan", "nan", "0.0"], "info writes has each value of a variable, newest first")
    is_(writes[2]["line"], d.line_of('float("nan")'), "with the line that made the first NaN")
    stop = d.go("go #%d" % writes[2]["number"])
    is_((stop["frame"]["line"], stop["frame"]["opname"], d.text("print i")), (d.line_of('float("nan")'), "STORE_FAST", "0"),
        "its number leads there")
    slots = d.rows("info writes $0")
    ok("<range_iterator" in " ".join(r["value"] for r in slots), "info writes $0 has what a slot held", slots[:3])
    is_([(r["value"], r["opname"]) for r in d.rows("info writes x")], [("1", "argument"), ("0", "argument"), ("-1", "argument")],
        "info writes has what calls passed")
    d.go("now")
    calls = d.rows("info calls half")
    is_([(r["arguments"], r["result"], r["ended"]) for r in calls], [("x=-1", None, "raise"), ("x=0", "0.0", "return"), ("x=1", "0.5", "return")],
        "info calls has arguments and results, and what raised")
    is_([r["function"] for r in d.rows("info calls")], ["f", "half", "half", "half"], "or those of all functions, outer first")
    times = {r["function"]: r for r in d.rows("info time")}
    ok(times["half"]["count"] == 3 and times["f"]["microseconds"] >= times["half"]["microseconds"] > 0, "info time has the time of functions", times)
    like(d.error("info writes"), r"missing name", "info writes needs a name")
    d.go()

MORE = """\
kept = 0

class Box:
    def fill(self, n):
        self.n = n

def lazy(n):
    done = False
    for i in range(n):
        yield i * 10

def make(step):
    def add(k):
        nonlocal step
        step += k
        return step
    return add

def work():
    global kept
    kept = 5
    Box().fill(1)
    make(1)(2)
    return list(lazy(2))

work()
kept = "end"
last = 1                                # stop
"""
with Cdbg(MORE) as d:
    d.do("tbreak work")
    d.go()
    d.do("record all")
    d.do("tbreak %d" % d.line_of("# stop"))
    d.go()
    is_([(r["value"], r["function"], r["line"]) for r in d.rows("info writes kept")],
        [("'end'", "<module>", d.line_of('kept = "end"')), ("5", "work", d.line_of("kept = 5"))], "info writes has a module's variables")
    is_([(r["value"].rstrip("~"), r["opname"]) for r in d.rows("info writes step")], [("3", "STORE_DEREF"), ("1", "argument")],
        "what a closure finds is no argument of its calls")
    for name in "self.n", "$n", "kept[0]":
        like(d.error("info writes " + name), "no attributes and no items", "info writes %s is refused, and not answered with nothing" % name)
    is_([(r["arguments"], r["result"], r["ended"]) for r in d.rows("info calls lazy")],
        [("n=2", "0", "yield"), ("n=2", "10", "yield"), ("n=2", "None", "return")], "info calls has what a generator yields, and its arguments alone")
    is_([r["result"] for r in d.rows("info calls Box.fill")], ["None"], "and a method by its name")
    d.go()

program = script(TEXT + "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
name = program + ".rec"
status, out, err = run(program, options=("--plain", "-q", "--record=" + name), commands=["tbreak %d" % (TEXT.splitlines().index("start = 1") + 1),
                                                                                        "continue", "record f half", "continue"])
mode = os.stat(name)
ok(stat.S_IMODE(mode.st_mode) == 0o600 and open(name, "rb").read(8) == b"CDBGREC1", "--record=FILE leaves a record when the process is killed")
status, out, err = run(script("pass\n"), options=("--plain", "-q", "--record=" + program), commands=["quit"])
like(out + err, r"the file exists and is no record of yours", "a file that is no record is not replaced")
ok(open(program).read().startswith("def half"), "and stays as it was")
status, out, err = run(script("pass\n"), options=("--plain", "-q", "--record=" + name), commands=["quit"])
like(out + err, r"recording generated code", "an older record is")
done()
