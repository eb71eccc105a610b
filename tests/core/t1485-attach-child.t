#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cdbg --attach PID debugs the process of that number, and not one whose environment or whose socket's name it has."""
import os
import subprocess
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402
from attaching import Attached, socket_of  # noqa: E402

folder = tempfile.mkdtemp(prefix="cdbg-attach-")
os.chmod(folder, 0o700)
SERVES = """
    import os, signal, sys, time
    import cdbg
    child = os.fork() if len(sys.argv) > 1 else None
    if child != 0:
        print(os.getpid(), child, flush=True)
    end = []
    signal.signal(signal.SIGTERM, lambda *x: end.append(1))
    while not end:
        time.sleep(0.01)
    if child:
        os.waitpid(child, 0)
    if child != 0:
        print("right", flush=True)
"""


class Program:
    def __init__(self, *args, listen=None):
        env = {"CDBG_LISTEN": "unix:%s/%s" % (folder, listen)} if listen else {}
        self.path = script(SERVES)
        self.proc = subprocess.Popen(cdbgtest.argv("-u", self.path, *args), env=cdbgtest.environment(env), stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.pid, self.child = self.proc.stdout.readline().split()

    def end(self):
        for pid in (self.child, self.pid):
            if pid != "None":
                os.kill(int(pid), 15)
        return self.proc.communicate(timeout=60 * cdbgtest.PATIENCE)[0]


def debugged(pid):
    """The process that a session says it is in; or why there is none."""
    line = "p __import__('os').getpid()"
    d = Attached(pid)
    if d.next() is None:
        return d.close()[1]
    d.event("stopped")
    text = d.cmd(line)["text"]
    d.cmd("detach")
    d.close()
    return text


# ---- a child that was forked has the environment that says where its parent listens
p = Program("fork", listen="s.sock")
is_(debugged(p.child), p.child, "the child of a program that listens is attached to, and not its parent")
is_(debugged(p.pid), p.pid, "... and the parent by its own number")
d = Attached(p.pid)
is_(d.event("stopped")["frame"]["file"], p.path, "... which a second session stops, too, in its own code")
d.proc.stdin.close()
d.proc.stdin = None
is_(d.close()[2], 0, "... and the end of the input ends the client")
is_(p.end(), "right\n", "... and both run on")

# ---- a name that leads to the socket of another process
p, other = Program(listen="o.sock"), Program()
name = socket_of(int(other.pid))
os.makedirs(os.path.dirname(name), 0o700, exist_ok=True)
os.symlink(folder + "/o.sock", name)
like(debugged(other.pid), r"'%s': a file that is not a socket of yours has this name" % name, "a link to the socket of another process is refused, with the reason")
os.unlink(name)
is_(debugged(other.pid), other.pid, "... and without it the session is in the right process")
is_((p.end(), other.end()), ("right\n", "right\n"), "... and both run on")
done()
