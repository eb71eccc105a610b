# SPDX-License-Identifier: BSD-3-Clause
# A tracer of the program jumps (f_lineno), turns lines off and on, replaces and removes itself, and one raises.
import sys

log = []

def jumps(x):
    log.append("one")
    log.append("two")
    log.append("three")
    return x

def loops(n):
    total = 0
    for i in range(n):
        total += i
    return total

def quiet(n):
    a = n
    b = a + n
    c = b + n
    return c

def jumper(frame, event, arg):
    name = frame.f_code.co_name
    if name not in ("jumps", "loops", "quiet"):
        return None
    first = frame.f_code.co_firstlineno
    if event == "line":
        log.append((name, frame.f_lineno - first))
    if name == "jumps" and event == "line" and frame.f_lineno == first + 2:
        frame.f_lineno = first + 3
    if name == "loops" and event == "line" and frame.f_lineno == first + 2 and frame.f_locals.get("i") == 1:
        frame.f_lineno = first + 4
    if name == "quiet" and event == "line":
        frame.f_trace_lines = False
        frame.f_trace_opcodes = True
    if name == "quiet" and event == "opcode":
        log.append("opcode")
        if log.count("opcode") == 4:
            frame.f_trace_opcodes = False
            frame.f_trace_lines = True
    return jumper

def removes(frame, event, arg):
    log.append("removes " + event)
    sys.settrace(None)

def replaces(frame, event, arg):
    log.append("replaces " + event)
    sys.settrace(jumper)
    return jumper

def raises(frame, event, arg):
    if event == "line" and frame.f_code.co_name == "quiet":
        raise LookupError("of the tracer")
    return raises

for tracer in (jumper, removes, replaces):
    sys.settrace(tracer)
    out = jumps(1), loops(4), quiet(5)
    sys.settrace(None)
    print(tracer.__name__, out)
    print(log)
    log.clear()
sys.settrace(raises)
try:
    quiet(1)
except LookupError as e:
    print(e, sys.gettrace())
print(quiet(2))
