# SPDX-License-Identifier: BSD-3-Clause
# needs-python: 3.12
# Other users of sys.monitoring: a tool with local and global events, one that switches a line off, a name that is taken.
import sys

m = sys.monitoring
E = m.events
seen = []

def f(n):
    total = 0
    for i in range(n):
        total += i
    return total

def g():
    yield 1
    raise KeyError("g")

def here(code):
    return code.co_filename == __file__

def on_line(code, line):
    if here(code):
        seen.append(("line", code.co_name, line))
        return m.DISABLE if line % 2 else None

def on_start(code, offset):
    if here(code):
        seen.append(("start", code.co_name, offset))

def on_return(code, offset, value):
    if here(code):
        seen.append(("return", code.co_name, repr(value)[:20]))

def on_raise(code, offset, e):
    if here(code):
        seen.append(("raise", code.co_name, repr(e)))

def on_call(code, offset, callee, arg):
    if here(code):
        seen.append(("call", code.co_name, getattr(callee, "__name__", "?")))

print([m.get_tool(i) for i in (m.COVERAGE_ID, m.PROFILER_ID, m.OPTIMIZER_ID)])
m.use_tool_id(m.PROFILER_ID, "mine")
for event, callback in ((E.LINE, on_line), (E.PY_START, on_start), (E.PY_RETURN, on_return), (E.RAISE, on_raise), (E.CALL, on_call)):
    print(m.register_callback(m.PROFILER_ID, event, callback))
m.set_local_events(m.PROFILER_ID, f.__code__, E.LINE | E.PY_START | E.CALL)
f(3)
m.set_events(m.PROFILER_ID, E.PY_RETURN | E.RAISE)
f(2)
try:
    list(g())
except KeyError:
    pass
m.restart_events()
f(1)
print(m.get_events(m.PROFILER_ID), m.get_local_events(m.PROFILER_ID, f.__code__))
m.set_events(m.PROFILER_ID, 0)
m.set_local_events(m.PROFILER_ID, f.__code__, 0)
m.free_tool_id(m.PROFILER_ID)
f(1)
for s in seen:
    print(s)
try:
    m.use_tool_id(m.COVERAGE_ID, "first")
    m.use_tool_id(m.COVERAGE_ID, "second")
except ValueError as e:
    print("taken:", e)
