#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Sub-interpreters in the debugged process: their frames run without cdbg, whatever GIL they have.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

# create(), run() and destroy() with the module that this CPython has for it.
PRELUDE = """
import os, signal, sys, threading
if sys.version_info >= (3, 14):
    from concurrent import interpreters
    def create(): return interpreters.create()
    def run(i, text): i.exec(text)
    def destroy(i): i.close()
elif sys.version_info >= (3, 13):
    import _interpreters
    def create(): return _interpreters.create()
    def run(i, text):
        failed = _interpreters.exec(i, text)
        if failed: raise RuntimeError(failed.formatted)
    def destroy(i): _interpreters.destroy(i)
else:
    import _xxsubinterpreters
    def create(): return _xxsubinterpreters.create()
    def run(i, text): _xxsubinterpreters.run_string(i, text)
    def destroy(i): _xxsubinterpreters.destroy(i)
"""

INSIDE = '''
def f(n):
    return n + 1

import json, sys, signal
exec("x = f(1)")
try:
    raise KeyError("inside")
except KeyError:
    pass
seen = []
def tracer(frame, what, arg):
    seen.append(what)
    return tracer
sys.settrace(tracer)
f(2)
sys.settrace(None)
try:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
except ValueError:
    signal.getsignal(signal.SIGINT)
print("sub", x, seen, flush=True)
'''

program = PRELUDE + """
INSIDE = %r

def f(n):
    return n * 2

i = create()
run(i, INSIDE)
print("main", f(21), flush=True)
run(i, INSIDE)
destroy(i)
print("main", f(22), flush=True)
""" % INSIDE

status, plain_out, plain_err = bare(program)
is_((status, plain_err), (0, ""), "the program runs without cdbg")

with Cdbg(program) as d:
    d.run_out()
    is_((d.exited["status"], d.out, d.err), (0, plain_out, ""),
        "a program with sub-interpreters runs under cdbg as without it, to its end")

with Cdbg(program) as d:
    d.do("break f")
    d.do("catch exception")
    stop = d.go()
    is_((stop["reason"], stop["frame"]["function"], d.text("print n")), ("breakpoint", "f", "21"),
        "a breakpoint on f does not stop in the sub-interpreter's f, nor does catch exception in its code")
    rows = [r["value"] for r in d.rows("info cdbg") if r["what"] == "interpreters"]
    like(rows and rows[0], r"^1 besides the main one; their frames run without cdbg", "info cdbg says that an interpreter is left alone")
    stop = d.go()
    is_(d.text("print n"), "22", "the next stop is in the main interpreter again")
    is_([r["value"] for r in d.rows("info cdbg") if r["what"] == "interpreters"], [],
        "info cdbg says nothing of it once the interpreter has ended")
    d.run_out()
    is_((d.out, d.exited["status"]), (plain_out, 0), "its output and status are those of the program alone")

with Cdbg(program) as d:
    at = line_of(d.path, "f(21)")
    d.do("break %d" % (at - 1))
    d.go()
    d.go("next")
    is_((d.stop["frame"]["line"], d.stop["frame"]["function"]), (at, "<module>"), "next steps over code of a sub-interpreter")
    d.go("stepi")
    d.run_out()
    is_((d.out, d.exited["status"]), (plain_out, 0), "stepping around it changes nothing")

threads = PRELUDE + """
N = 4
def work(k):
    i = create()
    run(i, "def f(n):\\n    return n + 1\\nt = 0\\nfor k in range(3000):\\n    t += f(k)\\n    exec('pass')")
    destroy(i)

def f(n):
    return n - 1

ts = [threading.Thread(target=work, args=(k,)) for k in range(N)]
for t in ts: t.start()
total = 0
for k in range(3000):
    total += f(k)
    exec("pass")
for t in ts: t.join()
print(total)
"""
status, plain_out, _ = bare(threads)
with Cdbg(threads) as d:
    d.do("break f if n == 2999")
    stop = d.go()
    is_(stop["reason"], "breakpoint", "a conditional breakpoint holds while interpreters run in other threads")
    d.run_out()
    is_((d.out, d.exited["status"]), (plain_out, status), "interpreters in threads, each with its GIL where CPython has that")

cdbg_inside = PRELUDE + '''
i = create()
run(i, """
import sys
try:
    import cdbg
    print("imported")
except ImportError as e:
    print(type(e).__name__, e)
""")
destroy(i)
'''
said = "ImportError cdbg can be imported in the main interpreter only: it does not debug sub-interpreters\n"
is_(bare(cdbg_inside)[1], said, "import cdbg in a sub-interpreter raises ImportError with the reason")
with Cdbg(cdbg_inside) as d:
    d.run_out()
    is_(d.out, said, "and so it does where cdbg debugs the main interpreter")
is_(bare("import cdbg\n" + cdbg_inside)[1], said, "and where the main interpreter has imported it")

with Cdbg(PRELUDE + '''
i = create()
run(i, """
import os, sys
sys.stdout.write("last words\\\\n")
sys.stdout.flush()
os._exit(7)
""")
''') as d:
    try:
        d.run_out()
    except Trouble:
        pass
    d.proc.wait(timeout=60)
    is_((d.out, d.proc.returncode), ("last words\n", 7), "os._exit() in a sub-interpreter keeps the output and the status")

done()
