#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Commands that only read change nothing in the process of the program: all that help lists, at a stop, by the means of the soak.
import os
import sys

here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(here, "lib"), os.path.join(here, "soak")]
from cdbgtest import *
import reading

is_(reading.alternatives("[-a] [FUNC|ENTRY] | diff A [B [C]]"), [[[["-a"]], [["FUNC|ENTRY"]]], ["diff", "A", [["B", [["C"]]]]]],
    "a usage is parsed into forms and optional parts")
is_(list(reading.each(reading.alternatives("X [-a] [B [C]]"))), [["X"], ["X", "-a"], ["X", "B"], ["X", "B", "C"]],
    "each optional part is tried")

PROGRAM = """
    import os, random, signal, sys, warnings
    rows, made = [1, 2], {}
    class Point:
        def __init__(self, x):
            self.x = x
        def __repr__(self):
            made["reprs"] = made.get("reprs", 0) + 1
            return "Point"
    def work(n, *rest, **names):
        text = "word " * n
        point = Point(n)
        data = {k: [k] * 3 for k in range(n)}
        return len(data) + len(text)
    print(work(3, 4, key=5))
"""
# An expression, and the part of the state that it changes.
PLANTED = [("rows.append(7)", "program: global rows"), ("rows.__setitem__(0, 7)", "program: global rows"),
           ("random.random()", "random: random"), ("os.environ.update(CASE='1')", "process: environ"),
           ("os.mkdir('made-here')", "process: file made-here"), ("os.dup(1)", "process: descriptor"), ("os.chdir('made-here')", "process: cwd"),
           ("signal.signal(signal.SIGUSR1, print)", "process: signal"), ("warnings.simplefilter('always')", "warnings: filters"),
           ("sys.path.append('x')", "process: path"), ("sys.setrecursionlimit(2000)", "process: recursion limit"),
           ("__import__('atexit').register(print)", "process: atexit"), ("globals().update(extra=1)", "program: global extra"),
           ("sys.settrace(lambda *a: None)", "process: trace"), ("sys.modules.update(mine=sys)", "program: module mine")]

path = script(PROGRAM)
with Cdbg(path, cwd=os.path.dirname(path)) as d:
    reader = reading.Reader(d.cmd)
    reader.start()
    names = [command for command, forms in reader.usages]
    ok({"backtrace", "info locals", "list", "disassemble", "print", "graph compare", "entry diff", "guard why", "explain", "help"} <= set(names),
       "commands that read are found by help", names)
    ok(not reading.CHANGING & set(names) and not {"step", "break", "jump", "set"} & set(names), "commands that change or resume are left out", names)
    stale = sorted(c for c in reading.CHANGING if not d.cmd("help " + c).get("ok"))
    is_(stale, [], "each command that is left out exists")
    d.do("break work")
    d.go()
    d.go("next")
    d.go("next")
    ok(reader.begin(), "the state is read, and no other thread runs")
    lines = reader.all_lines()
    is_(sorted(reader.unknown), [], "a value is known for each argument of each command")
    is_(reader.changed(), [], "to read the state changes nothing")
    wrong, replies = reader.run(lines)
    called = {line for line in wrong if line in ("print point", "pp point")}
    is_({line: what for line, what in wrong.items() if line not in called}, {}, "no command changes the state")
    ok(called and all("'reprs'" in w for line in called for w in wrong[line]), "but print and pp, by the repr of a value", wrong)
    taken = sum(bool(r.get("ok")) for r in replies.values())
    ok(taken > 60, "most of them are not refused", "%d of %d" % (taken, len(replies)))
    for expression, part in PLANTED:
        if "sys.modules" in expression:
            reading.ALLOWED.pop(0)
        wrong, replies = reader.run(["print " + expression])
        ok(any(w.startswith(part) for what in wrong.values() for w in what), "'%s' is reported" % expression, (wrong, replies))
    d.run_out()
    is_(d.out.strip(), "18", "the program prints what it prints")
done()
