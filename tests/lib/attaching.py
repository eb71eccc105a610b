# SPDX-License-Identifier: BSD-3-Clause
"""Programs that run without cdbg, and clients that attach to them."""
import atexit
import json
import os
import subprocess

import cdbgtest
from cdbgtest import argv, environment, script

LIMIT = 60 * cdbgtest.PATIENCE

# What a program tells at its end: is its result right, and does it look as at its start?
HEAD = """
import os, sys, time
END, PARENT = sys.argv[1], os.getppid()
def over(): return os.path.exists(END) or os.getppid() != PARENT        # a test that was killed leaves nothing
def state(): return [len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))]
class Kept: before = None
def ready():
    Kept.before = state()
    print("ready", flush=True)
def tell(right):
    until = time.monotonic() + 30
    while state()[0] != Kept.before[0] and time.monotonic() < until:
        time.sleep(0.01)        # a thread of the session may be closing its own
    print("right" if right else "WRONG", state()[0] - Kept.before[0], flush=True)
"""

# A line of a program that is always in malloc(), with its own k; and what is true after it.
BYTES = "b = [bytes(600 + (k * 37 + i * 131) % 9000) for i in range(40)]\n"
RIGHT = "sum(map(len, b)) == sum(600 + (k * 37 + i * 131) % 9000 for i in range(40))"

# A program that calls a function again and again, and knows what must come of it.
WORK = """
def work(i):
    s = 0
    for k in range(100):
        s += k * i
    return s
ready()
n = total = 0
while not over():
    total += work(3)
    n += 1
tell(total == n * 4950 * 3)
"""


class Running:
    """A program; it runs until end() is called, and says then what came of it."""

    def __init__(self, text, env=None, name="prog.py"):
        made = script(HEAD + text)
        self.path = os.path.join(os.path.dirname(made), name)
        os.rename(made, self.path)
        self.flag = os.path.join(os.path.dirname(self.path), "end")
        self.proc = subprocess.Popen(argv("-u", self.path, self.flag), env=environment(env), stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.pid = self.proc.pid
        atexit.register(self.proc.kill)
        said = self.proc.stdout.readline()
        if said != "ready\n":
            raise cdbgtest.Trouble("the program did not begin: " + said + self.proc.communicate()[0])

    def line(self, text):
        with open(self.path) as f:
            return next(k for k, one in enumerate(f, 1) if text in one)

    def end(self):
        """The last lines that it wrote, and its exit status."""
        open(self.flag, "w").close()
        try:
            out = self.proc.communicate(timeout=LIMIT)[0]
        except subprocess.TimeoutExpired:
            self.proc.kill()
            out = "it hangs"
        return out.strip(), self.proc.returncode


class Attached:
    """`cdbg --json --attach PID`."""

    def __init__(self, pid, *options):
        self.proc = subprocess.Popen(argv("-m", "cdbg", "--json", "-nx", *options, "--attach", str(pid)), env=environment(),
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def next(self):
        raw = self.proc.stdout.readline()
        return json.loads(raw) if raw else None

    def event(self, name):
        while (obj := self.next()) is not None and obj.get("event") != name:
            pass
        return obj

    def send(self, line):
        self.proc.stdin.write(line + "\n")
        self.proc.stdin.flush()

    def cmd(self, line):
        self.send(line)
        while (obj := self.next()) is not None and obj.get("reply") != line:
            pass
        return obj

    def go(self, line):
        self.cmd(line)
        return self.event("stopped")

    def close(self):
        """What it still wrote, on both streams, and its status."""
        out, err = self.proc.communicate(timeout=LIMIT)
        return out, err, self.proc.returncode


def socket_of(pid):
    run = os.environ.get("XDG_RUNTIME_DIR", "")
    return "%s/cdbg/%d.sock" % (run, pid) if run.startswith("/") else "/tmp/cdbg-%d/%d.sock" % (os.geteuid(), pid)
