#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""attaching_soak.py COUNT [PROGRAM...]: attach to programs COUNT times all together, and leave them; each way in turn.

The programs allocate all the time, compute, wait in system calls and for locks, have threads, and call a compiled function.  Each knows
what must come of it.  The sessions detach, are cut off, come to a breakpoint, or step before.  When a program ends nothing may differ
from what it was after the first sessions: threads, descriptors, executable memory, signals, modules, hooks, the number of objects;
and its memory may not grow with the sessions.
"""
import importlib.util
import json
import os
import socket
import sys
import time
here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(here), "lib"))
import cdbgtest  # noqa: E402
from attaching import BYTES, LIMIT, RIGHT, Running, socket_of  # noqa: E402

sys.path.insert(0, os.path.join(cdbgtest.build, "inplace"))
from cdbg import _cdbg  # noqa: E402

WARM = 12               # sessions, three of each way: what is loaded once is there
GROWTH = 32 << 10       # bytes a session

# over() also notes the state when it is asked to, and tell() compares.
NOTED = """
import gc, signal, threading
def noted():
    gc.collect()
    handlers = [signal.getsignal(s) for s in range(1, signal.NSIG)]
    tools = [sys.monitoring.get_tool(i) for i in range(6)] if hasattr(sys, "monitoring") else []
    hooks = [sys.gettrace(), sys.getprofile(), sys.excepthook, sys.unraisablehook, sys.breakpointhook, sys.displayhook, threading.excepthook]
    return {"handlers": handlers, "tools": tools, "hooks": hooks, "switch interval": sys.getswitchinterval(), "recursion limit": sys.getrecursionlimit(),
            "modules": sorted(sys.modules), "finders": list(sys.meta_path), "path": list(sys.path), "threads": threading.enumerate(),
            "mask": signal.pthread_sigmask(signal.SIG_BLOCK, []), "streams": [sys.stdin, sys.stdout, sys.stderr], "gc": gc.callbacks[:],
            "objects": len(gc.get_objects())}
class Noted: at = None
def note():
    if os.path.exists(END + ".note"):
        Noted.at = noted()
        os.unlink(END + ".note")
def over():
    note()
    return os.path.exists(END)
def differences():
    now = noted()
    said = [k for k in now if k != "objects" and Noted.at[k] != now[k]]
    if now["objects"] - Noted.at["objects"] > 200: said.append("%d objects more" % (now["objects"] - Noted.at["objects"]))
    return said
tell_result = tell
def tell(right):
    print("differ:", *differences(), flush=True)
    tell_result(right)
"""
PROGRAMS = {
    "malloc": "right = True\nk = 0\ndef work(): pass\nready()\nwhile not over():\n    k += 1\n    work()\n    " + BYTES +
              "    right = right and " + RIGHT + "\ntell(right)\n",
    "floats": """
import math
a = [math.sin(k) * 1.5 for k in range(200)]
def work(): return sum(x * x + math.cos(x) for x in a)
want, right = work(), True
ready()
while not over():
    right = work() == want and right
tell(right)
""",
    "threads": "right = True\ndef work(): pass\ndef other(k, until):\n    global right\n    while not until():\n        work()\n        " + BYTES +
               "        right = right and " + RIGHT + "\nend = lambda: os.path.exists(END)\n"
               "ts = [threading.Thread(target=other, args=(k, end)) for k in range(3)]\n"
               "for t in ts: t.start()\nready()\nother(7, over)\nfor t in ts: t.join()\nNoted.at['threads'] = threading.enumerate()\ntell(right)\n",
    "sleep": """
right = True
ready()
while not over():
    t = time.monotonic()
    time.sleep(0.3)
    right = right and time.monotonic() - t >= 0.3
tell(right)
""",
    "read": """
right, (a, b) = True, os.pipe()
def write():
    while not os.path.exists(END):
        time.sleep(0.2)
        os.write(b, b"x")
t = threading.Thread(target=write)
t.start()
ready()
while not over():
    right = os.read(a, 1) == b"x" and right
t.join()
Noted.at["threads"] = threading.enumerate()
tell(right)
""",
    "select": """
import select
right, (a, b) = True, os.pipe()
ready()
while not over():
    began = time.monotonic()
    right = select.select([a], [], [], 0.25) == ([], [], []) and time.monotonic() - began >= 0.25 and right
tell(right)
""",
    "lock": "def other():\n    k = 0\n    while not over():\n        k += 1\n        " + BYTES +
            "t = threading.Thread(target=other)\nt.start()\nready()\nt.join()\nNoted.at['threads'] = threading.enumerate()\ntell(True)\n",
    "compiled": """
import torch
@torch.compile(backend="eager")
def work(x, k):
    y = (x * 2 + k).relu()
    torch._dynamo.graph_break()
    return y.sum()
x = torch.arange(8.0)
right = [float(work(x, torch.tensor(float(k)))) == 56.0 + 8 * k for k in range(3)] == [True] * 3
ready()
k = 0
while not over():
    k = (k + 1) % 50
    right = float(work(x, torch.tensor(float(k)))) == 56.0 + 8 * k and right
tell(right)
""",
}
BLOCKED = ("sleep", "read", "select", "lock")


class Session:
    """cdbg attached to a process, over a socket."""

    def __init__(self, pid):
        self.socket = socket.socket(fileno=_cdbg.attach(pid, "--json", lambda why: False))
        self.socket.settimeout(LIMIT)
        self.file = self.socket.makefile("rb")

    def wait(self, name):
        """The next object that is an event, or a reply, of this name."""
        while raw := self.file.readline():
            obj = json.loads(raw)
            if name in (obj.get("event"), obj.get("reply")):
                return obj
        raise EOFError("no '%s'" % name)

    def go(self, line):
        self.socket.sendall(line.encode() + b"\n")
        self.wait(line)
        return self.wait("stopped")

    def close(self, detach):
        if detach:
            self.socket.sendall(b"detach\n")
            self.file.read()
        self.file.close()
        self.socket.close()


def one_session(pid, way, blocked):
    s = Session(pid)
    s.wait("stopped")
    if way == 2 and not blocked:
        s.socket.sendall(b"break work\n")
        s.wait("break work")
        if s.go("continue")["reason"] != "breakpoint":
            raise ValueError("no breakpoint")
    elif way == 3 and not blocked:
        for line in ("next", "stepi", "next"):
            s.go(line)
    elif way == 3:
        s.socket.sendall(b"backtrace\n")
        s.wait("backtrace")
    s.close(way != 1)
    until = time.monotonic() + LIMIT
    while os.path.exists(socket_of(pid)) and time.monotonic() < until:
        time.sleep(0.001)


def outside(pid):
    """What the kernel knows: threads, descriptors, executable memory of no file, signals, and the memory in bytes."""
    with open("/proc/%d/status" % pid) as f:
        status = dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)
    with open("/proc/%d/maps" % pid) as f:
        code = sum(1 for line in f if "x" in line.split()[1] and "/" not in line and "[" not in line)
    return ({"threads": int(status["Threads"]), "descriptors": len(os.listdir("/proc/%d/fd" % pid)), "executable memory": code,
             **{k: status[k] for k in ("SigBlk", "SigIgn", "SigCgt")}}, int(status["VmRSS"].split()[0]) * 1024)


def settled(pid, want):
    """The state, once it is as before: threads of the session may be ending; for a while only."""
    until = time.monotonic() + 20
    while (now := outside(pid))[0] != want and time.monotonic() < until:
        time.sleep(0.01)
    return now


def soak(name, count):
    """A row; what is wrong."""
    p = Running(NOTED + PROGRAMS[name])
    began, wrong, before, took = time.monotonic(), [], None, []
    try:
        for i in range(count + WARM):
            if i == WARM:
                open(p.flag + ".note", "w").close()
                while os.path.exists(p.flag + ".note") and p.proc.poll() is None:
                    time.sleep(0.01)
                before = outside(p.pid)
            start = time.monotonic()
            one_session(p.pid, i % 4, name in BLOCKED)
            took.append(time.monotonic() - start)
    except (OSError, RuntimeError, ValueError, EOFError) as e:
        wrong.append("session %d: %s" % (i, e or type(e).__name__))
    grown = 0
    if before and p.proc.poll() is None:
        after = settled(p.pid, before[0])
        wrong += ["%s: %s, before %s" % (k, after[0][k], v) for k, v in before[0].items() if after[0][k] != v]
        grown = (after[1] - before[1]) / count
        if grown > GROWTH and after[1] - before[1] > 8 << 20:
            wrong.append("memory grows by %d bytes a session" % grown)
    out, status = p.end()
    if (out, status) != ("differ:\nright 0", 0):
        wrong.append("status %s, %s" % (status, out[-1000:]))
    print("%-10s %4d sessions, median %.0f ms, longest %.0f ms, %+d bytes each, %.0f s: %s" % (
        name, len(took), sorted(took)[len(took) // 2] * 1e3 if took else 0, max(took or [0]) * 1e3, grown, time.monotonic() - began,
        "; ".join(wrong) or "right, and nothing is left"), flush=True)
    return bool(wrong)


def main():
    chosen = sys.argv[2:] or [n for n in PROGRAMS if n != "compiled" or importlib.util.find_spec("torch")]
    names = [n for n in chosen if n in PROGRAMS]
    if names != chosen:
        raise SystemExit("programs: " + " ".join(PROGRAMS))
    return any([soak(name, -(-int(sys.argv[1]) // len(names))) for name in names])


if __name__ == "__main__":
    sys.exit(main())
