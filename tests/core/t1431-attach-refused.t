#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What --attach refuses says why and what to do; a process that cannot be reached now is waited for, until Ctrl-C."""
import os
import re
import signal
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from cdbgtest import argv, environment, interpreter  # noqa: E402
from attaching import LIMIT, Attached, Running  # noqa: E402


def refused(pid, *options):
    p = subprocess.run(argv("-m", "cdbg", "--plain", "-p", str(pid), *options), env=environment(), stdin=subprocess.DEVNULL,
                       capture_output=True, text=True, timeout=LIMIT)
    return p.stderr if p.returncode else "status 0: " + p.stdout + p.stderr


def state(pid):
    with open("/proc/%d/stat" % pid) as f:
        return f.read().rpartition(")")[2].split()[0]


def until(pid, letter):
    while state(pid) != letter:
        os.sched_yield()


like(refused(2 ** 31 - 1), "^cdbg: no process 2147483647$", "no such process")
like(refused("x"), "expected the number of a process", "no number")
like(refused(os.getpid(), "x.py"), "--attach takes a process that runs: no script", "a script, too")

p = subprocess.Popen(["sleep", "1000"])
like(refused(p.pid), r"process %d has no CPython" % p.pid, "no Python in it")
p.send_signal(signal.SIGSTOP)
until(p.pid, "T")
like(refused(p.pid), r"is stopped by a signal: run kill -CONT %d first" % p.pid, "stopped by a signal")
p.kill()
until(p.pid, "Z")
like(refused(p.pid), "has ended and waits for its parent to notice", "a zombie")
p.wait()

p = Running("""
import threading
def other():
    ready()
    while not over(): pass
t = threading.Thread(target=other)
t.start()
t.join()
tell(True)
""")
thread = next(t for t in map(int, os.listdir("/proc/%d/task" % p.pid)) if t != p.pid)
like(refused(thread), "%d is a thread of process %d: attach to that" % (thread, p.pid), "a thread")
is_(p.end(), ("right 0", 0), "which runs on")

# ---- traced already ----------------------------------------------------------------------------------------------------
tracer = r'''
import ctypes, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
pid = int(sys.argv[1])
print(libc.ptrace(0x4206, pid, None, None), flush=True)
sys.stdin.read()
'''
p = Running("ready()\nwhile not over(): pass\ntell(True)\n")
t = subprocess.Popen([interpreter(), "-c", tracer, str(p.pid)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
if t.stdout.readline() == "0\n":
    like(refused(p.pid), r"is traced already, by process %d \(\w+\d*[\w.]*\): a process has one tracer" % t.pid, "traced already")
else:
    skip("traced already", "tracing is not permitted here")
t.communicate()

# ---- another user's ------------------------------------------------------------------------------------------------------
as_other = None
if os.geteuid() == 0:
    try:
        as_other = subprocess.run(argv("-m", "cdbg", "-p", str(p.pid)), env=dict(environment(), PYTHONDONTWRITEBYTECODE="1"),
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, user=65534, group=65534, extra_groups=[]).stderr
    except OSError as e:
        note("he cannot run it: %s" % e)
if as_other and "Permission denied" not in as_other and "No module named" not in as_other:
    like(as_other, "belongs to another user, 0: run cdbg as that user, or with sudo", "another user's")
else:
    skip("another user's", "no other user can run this cdbg")
is_(p.end(), ("right 0", 0), "none of it changed the program")

# ---- another version, another cdbg -----------------------------------------------------------------------------------------
found = None
for name in ("python3.9", "python3.10", "python3.11", "python3.12", "python3.13"):
    try:
        v = subprocess.run([name, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True).stdout.strip()
    except OSError:
        continue
    mine = "%d.%d" % sys.version_info[:2]
    if v and v != mine:
        found = name, v
        break
if found:
    q = subprocess.Popen([found[0], "-c", "print('x', flush=True); import time; time.sleep(1000)"], stdout=subprocess.PIPE, text=True)
    q.stdout.readline()
    like(refused(q.pid), r"runs (a CPython before 3.11|CPython %s, and this cdbg was built for)" % re.escape(found[1]), "another version of CPython")
    q.kill()
else:
    skip("another version of CPython", "there is none")

p = Running("""
import sys, types
sys.modules["cdbg"] = types.ModuleType("cdbg")
sys.modules["cdbg"].__file__ = "/nowhere/cdbg/__init__.py"
ready()
while not over(): pass
tell(True)
""")
like(refused(p.pid), "has imported another cdbg, '/nowhere/cdbg/__init__.py': attach with that one", "another cdbg")
is_(p.end(), ("right 0", 0), "which goes on")

# ---- C code that holds the GIL ---------------------------------------------------------------------------------------------
p = Running("""
ready()
sum(iter(int, 1))
""")
d = Attached(p.pid)
like(d.proc.stderr.readline(), "runs C code, which may hold the GIL.*Ctrl-C gives up", "C code that holds the GIL is told of")
d.proc.send_signal(signal.SIGINT)
out, err, status = d.close()
like(err, "given up: process %d runs on" % p.pid, "Ctrl-C gives up")
is_((status, p.proc.poll()), (1, None), "and the process runs on")
p.proc.kill()
p.proc.communicate()
done()
