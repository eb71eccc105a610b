#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A process whose main thread does not come out of a system call is attached to: a thread of cdbg's own serves its stops."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from cdbgtest import argv  # noqa: E402
from attaching import Attached, Running  # noqa: E402
from dap import Editor  # noqa: E402

# No signal leads out: the program ignores SIGINT, and C code begins its call again.  END.go ends the wait.
PROGRAM = """
import ctypes, signal, threading
signal.signal(signal.SIGINT, signal.SIG_IGN)
libc, lock, (a, b) = ctypes.CDLL(None), ctypes.create_string_buffer(64), os.pipe()
def go():
    while not os.path.exists(END + ".go"):
        time.sleep(0.01)
    libc.pthread_mutex_unlock(lock)
    os.write(b, b"xyz")
def mutex(n):
    return libc.pthread_mutex_lock(lock) == 0
def read(n):
    return os.read(a, 3) == b"xyz"
def work(n):
    here = [n]
    right = KIND(n + 1)
    here.append(after(right))
    return here
def after(right):
    return right
libc.pthread_mutex_lock(lock)
threading.Thread(target=go).start()
ready()
Kept.before[1] -= 1
got = work(6)
while not over(): time.sleep(0.01)
tell(got == [6, True])
until = time.monotonic() + 30       # the last session's may be ending; cdbg keeps two for the next one
while state()[1] > Kept.before[1] + 2 and time.monotonic() < until: time.sleep(0.01)
print(state()[1] <= Kept.before[1] + 2, signal.getsignal(signal.SIGINT).name)
"""


def attach(p):
    return Terminal(None, command=argv("-m", "cdbg", "-nx", "--plain", "--attach", str(p.pid)))


for kind in "mutex", "read":
    p = Running(PROGRAM.replace("KIND", kind), {"NO_COLOR": "1"})
    with attach(p) as t:
        ok(t.expect(r"stopped: interrupt \(runs C code\)\n%s at " % kind), "%s: it is stopped where it waits" % kind)
        t.expect(r"\(cdbg\) ")
        t.line("backtrace")
        ok(t.expect(r"#0 +%s at \S*prog.py:\d+[\s\S]*#1 +work at \S*prog.py:\d+[\s\S]*#2 +<module> at" % kind), "%s: its frames are shown" % kind)
        t.line("up")
        t.expect("work at")
        t.line("print here, n")
        ok(t.expect(r"^\(\[6\], 6\)$"), "%s: and its variables" % kind)
        for step in "step", "stepi", "finish":
            t.line(step)
            ok(t.expect("error: the thread runs C code, so it cannot step: 'continue' leaves it there"), "%s: %s is refused with the reason" % (kind, step))
        t.line("info threads")
        ok(t.expect(r"MainThread[^\n]*\n[^\n]*Thread-1[^\n]*go[^\n]*\n\(cdbg\) "), "%s: of its threads the one that serves is not shown" % kind)
        t.line("detach")
        is_(t.ended(), 0, "%s: detach leaves it there" % kind)
    d = Attached(p.pid)
    is_((d.event("stopped") or {}).get("waits"), "runs C code", "%s: a program that attaches is told the same" % kind)
    d.send("detach")
    is_(d.close()[1:], ("", 0), "%s: and detaches" % kind)
    with Editor() as e:
        e.begin("attach", processId=p.pid)
        made = e.configure({p.path: [p.line("return right")]})[p.path]
        is_(made[0]["verified"], True, "%s: an editor attaches, and sets a breakpoint" % kind)
        e.ask("pause", threadId=1)
        is_(e.event("stopped").get("description"), "Paused: runs C code", "%s: pause stops it for the editor" % kind)
        is_([f["name"] for f in e.frames()], [kind, "work", "<module>"], "%s: its frames are shown" % kind)
        like(e.error("next", threadId=1), "runs C code, so it cannot step", "%s: a step is refused" % kind)
        e.ask("continue", threadId=1)
        is_(e.ask("evaluate", expression="info breakpoints", context="repl")["result"].count("prog.py"), 1, "%s: running again it answers" % kind)
        e.ask("disconnect")
        is_((e.end(), e.wrong), (0, []), "%s: disconnect leaves it there" % kind)
    with attach(p) as t:
        t.expect(r"stopped: interrupt \(runs C code\)[\s\S]*\(cdbg\) ")
        t.line("break after")
        t.expect(r"breakpoint 1[\s\S]*\(cdbg\) ")
        t.line("continue")
        t.expect(r"continue\n")
        t.send("\x03")
        ok(t.expect(r"stopped: interrupt \(runs C code\)[\s\S]*\(cdbg\) "), "%s: Ctrl-C stops it again" % kind)
        t.line("continue")
        t.expect(r"continue\n")
        open(p.flag + ".go", "w").close()
        ok(t.expect(r"stopped: breakpoint 1\nafter at"), "%s: when its call is over a breakpoint is hit" % kind)
        t.expect(r"\(cdbg\) ")
        t.line("finish")
        ok(t.expect(r"stopped: .*\n|work at"), "%s: and it can step" % kind)
        t.expect(r"\(cdbg\) ")
        t.line("quit")
        t.ended()
    is_(p.end(), ("right 0\nTrue SIG_IGN", 0), "%s: its result is right; no descriptor is left, and no thread of a session" % kind)

# ---- C code that holds the GIL: the editor hears why it waits, and gives up --------------------------------------------------
p = Running("""
import ctypes
os.mkfifo(END + ".fifo")
fd = os.open(END + ".fifo", os.O_RDWR)
ready()
n = ctypes.PyDLL(None).read(fd, ctypes.create_string_buffer(1), 1)
while not over(): time.sleep(0.01)
tell(n == 1)
""")
with Editor() as e:
    e.ask("initialize", adapterID="cdbg")
    attach = e.send("attach", processId=p.pid)
    said = e.event("output")
    like(said["output"], r"the main thread of process %d .*C code.*; disconnecting gives up$" % p.pid, "the GIL is held: the editor is told what it waits for")
    is_((e.cmd("disconnect")["success"], e.answer(attach)["message"]), (True, "given up: process %d runs on" % p.pid), "disconnect gives up")
    is_((e.end(), e.wrong), (0, []), "and ends the adapter")
with open(p.flag + ".fifo", "w") as f:
    f.write("x")
is_(p.end(), ("right 0", 0), "the process goes on, and has no descriptor more than before")
done()
