#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# f_trace_opcodes belongs to the program: what its tracer finds and sets there is the same with cdbg, whenever cdbg needs
# the instructions of the same frame and whenever it does not need them any more.
import os
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

PROGRAM = '''
import sys, threading
seen, found, frames = {}, [], []
def leaf(x):
    return x + 1
def late(x):
    a = x + 1
    b = a + 1
    return a * b
def early(x):
    a = x + 1
    b = a + 1
    return a * b
def fails(x):
    frames.append(sys._getframe())
    return 1 / x
def gen(n):
    for i in range(n):
        yield i
def f(x):
    a = leaf(x * 2)
    for i in range(4):
        a += i
    return a + leaf(a) + late(a) + early(a) + sum(gen(3))
def tracer(frame, event, arg):
    name = frame.f_code.co_name
    if frame.f_code.co_filename != __file__ or name not in NAMES:
        return None
    key = threading.current_thread().name, name, event
    seen[key] = seen.get(key, 0) + 1
    found.append((name, event, frame.f_trace_lines, frame.f_trace_opcodes))
    if name == "early" and event == "call" or name == "late" and event == "line":
        frame.f_trace_opcodes = True
    if name == "early" and event == "opcode" and seen[key] > 5:
        frame.f_trace_opcodes = False
    if name == "f" and event == "call" and first:
        first.clear()
        inside.set()
        leave.wait()
    return tracer
inside, leave = threading.Event(), threading.Event()
def meanwhile():
    inside.wait()
    now()
    leave.set()
def now():
    return 1
NAMES = "f", "leaf", "late", "early", "gen", "fails"
first = [1]
def work():
    for _ in range(2):
        f(1)
    try:
        fails(0)
    except ZeroDivisionError:
        pass
threading.Thread(target=meanwhile).start()
threading.settrace(tracer)
t = threading.Thread(target=work, name="worker")
t.start()
t.join()
threading.settrace(None)
sys.settrace(tracer)
work()
sys.settrace(None)
work()
for key in sorted(seen):
    print(key, seen[key])
print(found)
print([frame.f_trace_opcodes for frame in frames])
'''

path = script(PROGRAM)
bare = subprocess.run([interpreter(), path], capture_output=True, text=True).stdout
like(bare, r"'early', 'opcode'", "a tracer that asks for instructions gets them")
like(bare, r"'late', 'opcode'", "also when it asks at a line")


def same(way, before=""):
    """way: the commands in now(), which another thread runs while the tracer is called for f."""
    with Cdbg(path) as d:
        for line in before.split(";"):
            if line:
                d.do(line)
        d.do("break now")
        d.go()
        for line in way.split(";"):
            if line in ("continue", "stepi", "step", "finish", "nexti", "next"):
                d.go(line)
            elif line:
                d.do(line)
        if not d.exited:
            d.run_out()
        is_(d.out, bare, "the tracer of the program gets the same: %s" % (before + " | " + way if before else way))


for where in ("f", "leaf", "late", "early", "gen", "fails"):
    same("break %s" % where)
    same("delete;continue", before="break %s" % where)
same("break f;continue;delete")
same("break early;break late;break f;continue;delete")
same("break late;continue;next;stepi;stepi;disable")
same("break late;continue;next;next;stepi;stepi;delete;finish")
same("break leaf;continue;up;break f;clear f;delete")
same("catch exception;continue;catch exception off;delete")
same("break early;continue;next;stepi;nexti;stepi;delete")
same("break gen;continue;continue;stepi;delete")
same("break f;break leaf;continue;watch a;delete")
with Cdbg("""
    def f(x):
        a = x + 1
        a = a * 2
        return a
    print(f(1))
""") as d:
    d.do("break f")
    d.go()
    d.do("watch a")
    d.do("delete 1")
    is_(d.go().get("reason"), "watch", "a watchpoint stops after the breakpoint that stopped in its function is deleted")
done()
