#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A tracer of the program sees the events that it asked for, and no others after breakpoints are deleted while functions run.
import os
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

PROGRAM = '''
import sys, threading
seen = {}
def leaf(x):
    try:
        raise KeyError(x)
    except KeyError:
        return x
def f(x):
    a = leaf(x * 2)
    for i in range(5):
        a += i
    return a + leaf(a)
def tracer(frame, event, arg):
    if frame.f_code.co_filename == __file__ and frame.f_code.co_name in ("leaf", "f", "asks"):
        key = threading.current_thread().name, event, frame.f_code.co_name
        seen[key] = seen.get(key, 0) + 1
        if frame.f_code.co_name == "asks":
            frame.f_trace_opcodes = True
        return tracer
def asks(x):
    return leaf(x) + 1
def work():
    for _ in range(2):
        f(1)
        asks(2)
threading.settrace(tracer)
t = threading.Thread(target=work, name="worker")
t.start()
t.join()
threading.settrace(None)
sys.settrace(tracer)
work()
sys.settrace(None)
for key in sorted(seen):
    print(key, seen[key])
'''

path = script(PROGRAM)
bare = subprocess.run([interpreter(), path], capture_output=True, text=True).stdout
like(bare, r"'opcode', 'asks'", "a tracer that asks for instructions gets them")
WAYS = ["break leaf;c;delete;c", "break leaf;c;stepi;stepi;delete;c", "break leaf;c;finish;delete;c",
        "break f;c;stepi;delete;c", "catch exception;c;delete;c", "break asks;c;c;delete;c", "break leaf;c;disable 1;c"]
for way in WAYS:
    with Cdbg(path) as d:
        for line in way.replace(";c", ";continue").split(";"):
            if line == "continue":
                d.go()
            elif line in ("stepi", "finish"):
                d.go(line)
            else:
                d.do(line)
        if not d.exited:
            d.run_out()
        is_(d.out, bare, "'%s' adds no event to the program's tracer" % way)
out = run(path, options=("--plain", "-q"), commands=["break leaf", "continue", "detach"])[1]
is_("\n".join(l for l in out.split("\n") if l.startswith("(")) + "\n", bare, "nor does 'detach'")
done()
