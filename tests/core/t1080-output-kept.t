#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""JSON: what the program wrote is reported however it ends, and the program cannot close, read or write the conversation."""
import json
import os
import signal
import socket
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402

RUNS = 10


def objects_of(path, *options, commands=b"continue\n", **more):
    """All objects of one run, and the status of the process."""
    proc = subprocess.Popen(cdbgtest.argv("-m", "cdbg", "--json", "-nx", *options, path), stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=cdbgtest.environment(), **more)
    raw, _ = proc.communicate(commands, timeout=60 * cdbgtest.PATIENCE)
    return [json.loads(line) for line in raw.splitlines()], proc.returncode


def said(objects, stream):
    return "".join(o["text"] for o in objects if o.get("event") == "output" and o["stream"] == stream)


# ---- death: nothing that was written is lost ----

WRITE = """
    import ctypes, os, resource, signal, sys, threading, time
    os.write(1, b"first\\n")
    os.write(2, b"e" * 30000)
    os.write(1, b"o" * 30000)
    os.write(2, b"last words\\n")
"""
ENDS = (
    ("SIGKILL to itself", "os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
    ("SIGSEGV", "ctypes.string_at(0)", -signal.SIGSEGV),
    ("abort()", "os.abort()", -signal.SIGABRT),
    ("os._exit in a thread", "threading.Thread(target=os._exit, args=(3,)).start(); time.sleep(60)", 3),
    ("SIGTERM to itself", "os.kill(os.getpid(), signal.SIGTERM); time.sleep(60)", -signal.SIGTERM),
)
for name, end, status in ENDS:
    path = script(WRITE + "    " + end + "\n")
    whole, statuses = 0, set()
    for _ in range(RUNS):
        objects, got = objects_of(path)
        whole += (said(objects, "stderr"), said(objects, "stdout")) == ("e" * 30000 + "last words\n", "first\n" + "o" * 30000)
        statuses.add(got)
    is_((whole, statuses), (RUNS, {status}), "%s: all output before it is reported, in %d runs" % (name, RUNS))

path = script("""
    import os, resource
    resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
    n = 0
    while True:
        os.write(1, b"%d\\n" % n)
        n += 1
        os.pwrite(3, b"%12d" % n, 0)
""")
with open(os.path.join(os.path.dirname(path), "count"), "w+") as f:
    counter = "import os, sys\nos.dup2(os.open(%r, os.O_RDWR), 3)\n" % f.name
    with open(path) as p:
        text = p.read()
    with open(path, "w") as p:
        p.write(counter + text)
    objects, got = objects_of(path)
    lines = said(objects, "stdout").split("\n")
    counted = int(f.read())
is_((got, lines[:-1] == [str(n) for n in range(len(lines) - 1)]), (-signal.SIGKILL, True),
    "a program ended by its CPU limit: what it wrote is reported in order")
ok(len(lines) - 1 in (counted, counted + 1), "to the last line that it wrote", (len(lines), counted))

# ---- descriptors ----

GRAB = """
    import os, resource, sys
    def grab(folder):
        "Close all but the standard streams, then open files until no number is left of those that were in use."
        fds = sorted(int(n) for n in os.listdir("/proc/self/fd") if int(n) > 2)
        os.closerange(3, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
        first = os.open(os.path.join(folder, "data"), os.O_RDWR)
        for fd in fds:
            if fd != first:
                os.dup2(first, fd)
        os.lseek(first, 0, 0)
    def f():
        return 42
"""
DATA = "print 'from the data'\nquit 9\n"


def folder():
    path = script("pass\n")
    place = os.path.dirname(path)
    with open(os.path.join(place, "data"), "w") as f:
        f.write(DATA)
    return place


def data(place):
    with open(os.path.join(place, "data")) as f:
        return f.read()


place = folder()
with Cdbg(GRAB + """
    print("before")
    grab(sys.argv[1])
    f()
    print("after")
    sys.exit(4)
""", place) as d:
    d.do("break f")
    d.go()
    is_(d.reason, "breakpoint", "a program that closes and reuses all descriptors is still debugged")
    is_(d.text("print 6 * 7"), "42", "and commands are answered")
    like(d.error("restart"), "closed", "restart, which needs the first descriptors, is refused with the reason")
    is_(d.run_out()["status"], 4, "exited comes with its status")
    is_((d.out, d.err), ("before\nafter\n", ""), "its output is reported")
    is_(d.close(), 4, "the process ends with it")
is_(data(place), DATA, "the program's file has neither objects in it nor been read as commands")

with Cdbg("""
    import os, sys
    os.closerange(3, 200)
    fds = [os.open("/dev/null", os.O_RDONLY) for i in range(197)]
    print(fds == list(range(3, 200)))
""") as d:
    d.do("break 4")
    d.go()
    d.run_out()
    is_(d.out, "True\n", "closerange(3, 200), as daemons do: all numbers below 200 are free")

# The socket of --json=FD.
place = folder()
ours, theirs = socket.socketpair()
path = script(GRAB + """
    grab(sys.argv[1])
    f()
    sys.exit(4)
""")
proc = subprocess.Popen(cdbgtest.argv("-m", "cdbg", "--json=%d" % theirs.fileno(), "-nx", path, place),
                        pass_fds=[theirs.fileno()], env=cdbgtest.environment(), stdin=subprocess.DEVNULL)
theirs.close()
ours.settimeout(60 * cdbgtest.PATIENCE)
wire = ours.makefile("rwb")


def on_wire(command, event):
    wire.write(command)
    wire.flush()
    while True:
        o = json.loads(wire.readline() or b"null")
        if o is None or o.get("event") == event:
            return o


is_(on_wire(b"break f\ncontinue\n", "stopped")["reason"], "start", "--json=FD: the program starts")
is_(on_wire(b"", "stopped")["reason"], "breakpoint", "--json=FD: a program that closed the socket is still debugged")
is_(on_wire(b"continue\n", "exited"), {"event": "exited", "status": 4}, "--json=FD: exited comes with its status")
wire.write(b"quit\n")
wire.flush()
is_((wire.readline(), proc.wait(60 * cdbgtest.PATIENCE)), (b'{"reply":"quit","ok":true}\n', 4), "--json=FD: quit ends it")
is_(wire.readline(), b"", "--json=FD: then the socket is closed")
is_(data(place), DATA, "--json=FD: the program's file is untouched")

# ---- the process that tells the output ----

with Cdbg("""
    import os, signal, subprocess, sys
    caught = []
    signal.signal(signal.SIGCHLD, lambda *a: caught.append(1))
    def f():
        try:
            return os.wait()
        except ChildProcessError:
            return "no child"
    print(f(), caught, open("/proc/self/task/%d/children" % os.getpid()).read())
    print(subprocess.run([sys.executable, "-c", "import os; print(sorted(os.listdir('/proc/self/fd')))"], close_fds=True,
                         stdout=subprocess.PIPE, text=True).stdout, end="")
    print(subprocess.run([sys.executable, "-c", "import os; print(sorted(os.listdir('/proc/self/fd')))"], close_fds=False,
                         stdout=subprocess.PIPE, text=True).stdout, end="", flush=True)
    pid = os.fork()
    if not pid:
        print(sorted(os.listdir('/proc/self/fd')), flush=True)
        os._exit(0)
    os.waitpid(pid, 0)
""") as d:
    d.run_out()
    lines = d.out.split("\n")
    is_(lines[0], "no child [] ", "the program has no child: not for wait(), not for SIGCHLD, not in /proc")
    is_(lines[1:4], ["['0', '1', '2', '3']"] * 3, "a child has cdbg's descriptors neither by exec nor by fork")

place = folder()
os.mkfifo(os.path.join(place, "fifo"))
path = script("""
    import os, sys
    parent = os.getpid()
    if os.fork():
        os._exit(5)
    os.setsid()
    while os.getppid() == parent:
        pass
    with open(sys.argv[1], "w") as f:
        try:
            f.write("wrote %d" % os.write(1, b"daemon\\n"))
        except OSError as e:
            f.write(str(e))
""")
proc = subprocess.Popen(cdbgtest.argv("-m", "cdbg", "--json", "-nx", path, os.path.join(place, "fifo")), stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE, env=cdbgtest.environment())
raw, _ = proc.communicate(b"continue\n", timeout=60 * cdbgtest.PATIENCE)
is_(proc.returncode, 5, "a program that continues as a daemon: the conversation ends with its first process")
with open(os.path.join(place, "fifo")) as f:
    is_(f.read(), "wrote 7", "and the daemon's writes do not fail")

done()
