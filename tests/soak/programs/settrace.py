# SPDX-License-Identifier: BSD-3-Clause
# A tracer of the program's own sees each of its events, and changes a local and a line.
import sys

events = []

def tracer(frame, event, arg):
    if frame.f_code.co_filename != __file__:
        return None
    events.append((event, frame.f_code.co_name, frame.f_lineno, type(arg).__name__))
    return tracer

def f(n):
    total = 0
    for i in range(n):
        total += i
    try:
        raise KeyError(total)
    except KeyError:
        pass
    return total

def g():
    yield f(2)
    yield 2

sys.settrace(tracer)
print(list(g()))
sys.settrace(None)
for e in events:
    print(e)
print(sys.gettrace())
