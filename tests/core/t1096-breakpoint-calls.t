#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# cdbg.breakpoint() as the first call of a worker thread, and the builtin breakpoint() under cdbg.
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import cdbgtest
from cdbgtest import *


def alone(program, commands, env=None, limit=120):
    """A program that starts cdbg itself: (status, stdout, stderr), commands on standard input."""
    data = "".join(c + "\n" for c in commands)
    proc = subprocess.Popen(cdbgtest.argv(script(program) if "\n" in program else program), stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=cdbgtest.environment(env))
    try:
        out, err = proc.communicate(data.encode(), limit * cdbgtest.PATIENCE)
    except subprocess.TimeoutExpired:
        proc.kill()
        raise Trouble("not ended after %g s" % limit)
    return proc.returncode, out.decode(), err.decode()


# ---- cdbg.breakpoint() first in a worker ----

WORKER = """
import signal, sys, threading
import cdbg

def handler(*args):
    pass

signal.signal(signal.SIGUSR1, handler)
before = signal.getsignal(signal.SIGINT)

def work(n):
    k = n + 1
    cdbg.breakpoint()
    return k

t = threading.Thread(target=work, args=(41,))
t.start()
t.join()
print(signal.getsignal(signal.SIGINT) is before, signal.getsignal(signal.SIGUSR1) is handler)
print("end")
"""
status, out, err = alone(WORKER, ["print k", "backtrace", "info cdbg", "continue"])
is_((status, err), (0, ""), "breakpoint() first called in a worker thread starts cdbg, without a complaint")
like(out, r"stopped: breakpoint\(\)\nwork at .*prog\.py:12 \(thread 2 'Thread-1 \(work\)'\)", "it stops at that line, in that thread")
like(out, r"\n42\n", "and has the frame's locals")
like(out, r"True True\nend\n", "the program finds its own signal handlers")

interrupts = """
import os, signal, threading, time
import cdbg

def work():
    cdbg.breakpoint()

t = threading.Thread(target=work)
t.start()
t.join()
x = 1
for k in range(1000):
    x += 1
print("spinning", flush=True)
for k in range(10 ** 9):
    x += 1
"""
with Terminal(None, command=cdbgtest.argv(script(interrupts)), env={"TERM": "dumb"}) as t:
    t.expect(r"stopped: breakpoint\(\)")
    t.expect(r"\(cdbg\) ")
    t.line("continue")
    t.expect(r"spinning")
    seen = None
    for _ in range(100):
        t.send("\x03")
        try:
            t.limit = 0.5
            seen = t.expect(r"stopped: interrupt|KeyboardInterrupt")
            break
        except Trouble:
            pass
    is_(seen and seen.group(0), "stopped: interrupt", "Ctrl-C stops the main thread of a session that a worker began")

blocked = """
import threading, time
import cdbg

def work():
    k = 7
    cdbg.breakpoint()
    print("k", k)

t = threading.Thread(target=work)
t.start()
time.sleep(1.5)
t.join()
cdbg.breakpoint()
print("end")
"""
status, out, err = alone(blocked, ["print k + 1", "continue", "backtrace", "detach"])
is_((status, err), (0, ""), "a main thread that sleeps meanwhile is not an obstacle")
like(out, r"\n8\nk 7\n", "the worker stops and continues")
like(out, r"stopped: breakpoint\(\)\n<module> at [\s\S]*end\n", "later calls in the main thread stop too")

again = """
import threading
import cdbg

def work(n):
    cdbg.breakpoint()
    cdbg._cdbg.detach()
    cdbg.breakpoint()
    print("worker", n)

for n in range(3):
    t = threading.Thread(target=work, args=(n,))
    t.start()
    t.join()
import signal
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler, signal.default_int_handler)
"""
status, out, err = alone(again, ["continue"] * 6)
is_((status, err, out.count("stopped: breakpoint()")), (0, "", 6), "sessions begin and end in workers, again and again")
like(out, r"True <built-in function default_int_handler>", "and the interrupt handler is Python's own again")

if has("torch"):
    status, out, err = alone("""
        import threading
        import torch
        import cdbg

        @torch.compile(backend="eager")
        def f(x):
            return x + 1

        f(torch.ones(2))

        def work():
            cdbg.breakpoint()

        t = threading.Thread(target=work)
        t.start()
        t.join()
        """, ["info compiled", "info dynamo", "continue"])
    like(out, r"\nf +\S*prog\.py", "a plugin whose library was imported before wakes in a session that a worker began")
else:
    skip("a plugin whose library was imported before wakes in a session that a worker began", "no torch")

# ---- the builtin breakpoint() ----

USER = """
import sys

def f(n):
    k = n + 1
    breakpoint()
    return k

print(f(1))
print(f(2), sys.breakpointhook is sys.__breakpointhook__)
"""
with Cdbg(USER) as d:
    stop = d.go()
    is_((stop["reason"], stop["frame"]["function"], stop["frame"]["line"]), ("breakpoint", "f", 5),
        "the program's own breakpoint() stops in cdbg at its line")
    is_({r["name"]: r["value"] for r in d.rows("info locals")}, {"n": "1", "k": "2"}, "with the function's locals")
    d.go()
    is_(d.text("print n"), "2", "each call stops")
    d.run_out()
    is_((d.out, d.exited["status"]), ("2\n3 True\n", 0), "sys.breakpointhook is the object that Python put there")
with Cdbg(USER, env={"PYTHONBREAKPOINT": "0"}) as d:
    d.run_out()
    is_(([x.get("reason") for x in d.stops], d.out), (["start", None], "2\n3 True\n"), "PYTHONBREAKPOINT=0 makes it do nothing, as ever")
with Cdbg(USER, env={"PYTHONBREAKPOINT": "builtins.print"}) as d:
    d.run_out()
    is_(([x.get("reason") for x in d.stops], d.out), (["start", None], "\n2\n\n3 True\n"), "PYTHONBREAKPOINT=NAME calls that")
with Cdbg(USER, env={"PYTHONBREAKPOINT": ""}) as d:
    is_(d.go()["reason"], "breakpoint", "an empty PYTHONBREAKPOINT is as none")
with Cdbg(USER, env={"PYTHONBREAKPOINT": "cdbg.breakpoint"}) as d:
    d.go()
    is_((d.stop["frame"]["function"], d.text("print n")), ("f", "1"), "PYTHONBREAKPOINT=cdbg.breakpoint stops once in a call")
    d.go()
    is_(d.text("print n"), "2", "and again in the next")
with Cdbg("""
    import os, sys
    os.environ["PYTHONBREAKPOINT"] = "0"
    breakpoint()
    del os.environ["PYTHONBREAKPOINT"]
    sys.breakpointhook = lambda *args, **more: print("mine", args, more)
    breakpoint(1, a=2)
    sys.breakpointhook = sys.__breakpointhook__
    def f(k):
        breakpoint("words", header="x")
        return k
    print(f(3))
    """) as d:
    stop = d.go()
    is_((stop["reason"], stop["frame"]["function"], d.out), ("breakpoint", "f", "mine (1,) {'a': 2}\n"),
        "the program's own PYTHONBREAKPOINT and sys.breakpointhook decide, then cdbg again")
    d.run_out()
    is_(d.out, "mine (1,) {'a': 2}\n3\n", "arguments of breakpoint() are taken and change nothing")
status, out, err = run("""
    import pdb
    pdb.set_trace = lambda *args, **more: print("pdb is called")
    def f(k):
        breakpoint()
        return k
    print(f(3))
    print(f(4))
    """, options=("--plain", "-q"), commands=["continue", "detach"])
like(out, r"stopped: breakpoint\(\)[\s\S]*detached[^\n]*\n3\npdb is called\n4\n", "after detach breakpoint() does what it does without cdbg")
status, out, err = run("""
    import os, pdb, sys
    pdb.set_trace = lambda *args, **more: print("pdb in the child", flush=True)
    pid = os.fork()
    if not pid:
        breakpoint()
        os._exit(3)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    """, options=("--plain", "-q"), commands=["continue"])
like(out, r"pdb in the child\n3\n", "in a forked child, too")
status, out, err = run("""
    class A:
        breakpoint()
        x = 1
    def g():
        yield 1
        breakpoint()
        yield 2
    print(list(g()))
    print(eval("breakpoint()"))
    [breakpoint() for _ in range(1)]
    import threading
    def w(k):
        breakpoint()
    t = threading.Thread(target=w, args=(5,)); t.start(); t.join()
    """, options=("--plain", "-q"), commands=["continue"] * 8)
is_(re.findall(r"stopped: breakpoint\(\)\n(\S+) at", out), ["A", "g", "<module>"] + (["<listcomp>"] if version() < (3, 12) else ["<module>"]) + ["w"],
    "it stops in class bodies, generators, eval, comprehensions and threads")

if has("torch"):
    with Cdbg("""
        import torch

        @torch.compile(backend="eager")
        def f(x):
            y = x + 1
            breakpoint()
            return y * 2

        print(f(torch.ones(2)))
        print(f(torch.ones(2)))
        """) as d:
        stop = d.go()
        is_((stop["reason"], stop["frame"]["function"], stop["frame"]["line"], stop["frame"]["kind"]),
            ("breakpoint", "f", 6, "generated"), "in a compiled function breakpoint() stops at the user's line")
        ok("x" in [r["name"] for r in d.rows("info locals")], "the compiled function's arguments are there")
        stop = d.go()
        is_((stop["reason"], stop["frame"]["line"]), ("breakpoint", 6), "and in its next call")
        d.run_out()
        is_(d.out, "tensor([4., 4.])\n" * 2, "the results are right")
else:
    skip("in a compiled function breakpoint() stops at the user's line", "no torch")
done()
