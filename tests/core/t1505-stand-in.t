#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A rank whose main thread waits in C code without the GIL is stopped there: a thread of cdbg's own serves the stop in its place."""
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402
from ranks import LIMIT, Prompt  # noqa: E402

folder = tempfile.mkdtemp(prefix="cdbg-ranks-")
# A lock of the C library: no signal ends the call that waits for it.
PROGRAM = script("""
    import ctypes, os, sys, threading, time
    rank, folder = int(os.environ["RANK"]), sys.argv[1]
    libc = ctypes.CDLL(None)
    lock = ctypes.create_string_buffer(64)
    def wait_for(name):
        while not os.path.exists(os.path.join(folder, name)):
            time.sleep(0.01)
    def unlock():
        wait_for("unlock")
        libc.pthread_mutex_unlock(lock)
    def collective(n):
        here = [n, rank]
        libc.pthread_mutex_lock(lock)
        here.append("back")
        return here
    def loop():
        libc.pthread_mutex_lock(lock)
        threading.Thread(target=unlock).start()
        print("waiting", rank, flush=True)
        return collective(7)
    def after(value):
        return value
    if rank == 1:
        print(loop(), flush=True)
        after(2)
    wait_for("unlock")
    os.write(1, b"rank %d done\\n" % rank)
    sys.exit(rank)
""")
LOCK = 1 + open(PROGRAM).read().split("\n").index("    libc.pthread_mutex_lock(lock)")
p = Prompt("--listen", "--world", "2")
env = p.listening()
env["PYTHONPATH"] += os.pathsep + cdbgtest.environment()["PYTHONPATH"]
procs = [subprocess.Popen(cdbgtest.argv(PROGRAM, folder), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=cdbgtest.environment(dict(env, RANK=str(r), LOCAL_RANK=str(r), WORLD_SIZE="2"))) for r in range(2)]
p.expect(r"^\[0-1\]\n<module> at")
p.send("continue")
is_(procs[1].stdout.readline(), "waiting 1\n", "rank 1 is about to wait in C code")


def stop():
    """Asks rank 1 to stop until it does: Ctrl-C means nothing at the prompt, and `interrupt` waits for the prompt."""
    pattern = r"^\[1\]\nstopped: interrupt(.*)\n(.*)\n"
    while not re.search(pattern, p.text, re.M):
        p.proc.send_signal(signal.SIGINT)
        p.send("interrupt")
        while not re.search(pattern, p.text, re.M) and select.select([p.proc.stdout], [], [], 5)[0]:
            p.text += os.read(p.proc.stdout.fileno(), 65536).decode()
    return p.expect(pattern).groups()


why, place = stop()
while not why:              # it has not come to its call
    p.send("rank 1 continue")
    why, place = stop()
is_(why, " (runs C code)", "Ctrl-C stops it in its call, and says so")
like(place, r"^collective at .*prog\.py:%d" % LOCK, "... where it is")
p.answer("rank 1")
is_(p.answer("print here"), "[7, 1]\n", "its locals can be asked for")
like(p.answer("backtrace"), r"^.*#0 +collective at .*prog\.py:%d\n.*#1 +loop at .*\n.*#2 +<module>" % LOCK, "... its frames")
is_(p.answer("up", "print rank"), p.answer("frame") + "1\n", "... chosen")
p.answer("down")
like(p.answer("info threads"), r"^\S*\s+1 +MainThread +collective +.*\n +\d+ +Thread-1.*unlock.*wait_for.*|MainThread[\s\S]*Thread-1", "... and its threads")
is_(p.answer("info threads").count("\n"), 3, "... without that of cdbg")
like(p.answer("ranks"), r"^\[1\] stopped interrupt \(runs C code\) collective prog\.py:%d$" % LOCK, "ranks says so, too")
for step in "step", "next", "stepi", "finish", "until", "stepg":
    like(p.answer("rank 1 " + step), r"the thread runs C code, so it cannot step: 'continue' leaves it there", "%s is refused, with the reason" % step)
like(p.answer("checkpoint"), r"error: .*not the process's first thread|error: ", "a checkpoint, too")
is_(p.answer("print here.append(1) or here"), "[7, 1, 1]\n", "what is evaluated can change values")
p.answer("print here.pop()", "break after")
p.send("rank 1 continue")
is_(stop()[0], " (runs C code)", "after continue it waits as before, and can be stopped again")
open(os.path.join(folder, "unlock"), "w").close()
p.send("continue")
p.says(r"^\[1\]\nstopped: breakpoint 1\nafter at .*prog\.py", "when its C code is over it runs on, to the next breakpoint and not before")
p.send("continue")
p.expect(r"^all ranks have ended")
is_([proc.communicate(timeout=LIMIT) for proc in procs], [("rank 0 done\n", ""), ("[7, 1, 'back']\nrank 1 done\n", "")], "the program prints what it prints without cdbg")
is_([proc.returncode for proc in procs], [0, 1], "... and ends so")
p.send("quit")
p.ended()
done()
