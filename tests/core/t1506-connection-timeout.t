#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""set connection-timeout: both ends of a rank's connection give up at that time when the other host is gone, as their options say."""
import ctypes
import os
import socket
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402
from ranks import LIMIT, Fake, Prompt  # noqa: E402

PIDFD_GETFD = 438
libc = ctypes.CDLL(None, use_errno=True)


def connections(pid):
    """The connections of TCP that a process has."""
    try:
        holder, names = os.pidfd_open(pid), os.listdir("/proc/%d/fd" % pid)
    except OSError:
        return
    for name in names:
        try:
            link = os.readlink("/proc/%d/fd/%s" % (pid, name))
        except OSError:
            continue
        fd = libc.syscall(PIDFD_GETFD, holder, int(name), 0) if link.startswith("socket:") else -1
        if fd < 0:
            continue
        s = socket.socket(fileno=fd)
        try:
            s.getpeername()
            if s.family in (socket.AF_INET, socket.AF_INET6):
                yield s
        except OSError:
            pass
    os.close(holder)


def times(s):
    """How long the connection may be silent, ms: with data that is not acknowledged, and without."""
    of = lambda name: s.getsockopt(socket.IPPROTO_TCP, getattr(socket, name))
    return of("TCP_USER_TIMEOUT"), 1000 * (of("TCP_KEEPIDLE") + of("TCP_KEEPINTVL") * of("TCP_KEEPCNT")) * s.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)


def rank_side(address):
    """That of the process that holds the rank's end, which is the relay beside the rank."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        for s in connections(int(pid)):
            if s.getsockname() == address:
                return times(s)


if libc.syscall(PIDFD_GETFD, os.pidfd_open(os.getpid()), 0, 0) < 0:
    skip_all("this kernel gives no descriptors of other processes")
program = script("""
    import time
    def f():
        pass
    while True:
        time.sleep(0.01)
        f()
""")

# ---- the controller's side, with a rank that is a program ----

p = Prompt("--listen", "--world", "1")
env = p.listening()
job = subprocess.Popen([interpreter(), program], stdin=subprocess.DEVNULL, env=dict(cdbgtest.environment(), RANK="0", WORLD_SIZE="1", LOCAL_RANK="0", **env))
p.says(r"^\[0\]\n<module> at ", "a rank joins by TCP")
port = int(env["CDBG_CONNECT"].rpartition(":")[2])
mine = [s for s in connections(p.proc.pid) if s.getsockname()[1] == port]
is_(len(mine), 1, "the controller has one connection")
is_(times(mine[0]), (30000, 30000), "it counts a rank as lost after 30 seconds")
theirs = mine[0].getpeername()
is_(rank_side(theirs), (30000, 30000), "... and so does the rank its controller")
p.answer()
is_(p.answer("show connection-timeout"), "connection-timeout is 30 s\n", "which can be asked for")
is_(p.answer("set connection-timeout 6"), "", "another time is set")
is_(times(mine[0]), (6000, 6000), "... in the controller")
p.answer("rank 0 print 1")
is_(rank_side(theirs), (6000, 6000), "... and in the rank")
for wrong in "0", "x", "1.5", "3601", "":
    like(p.answer("set connection-timeout %s" % wrong), r"^error: invalid value '%s' .*from 1 to 3600" % wrong, "'%s' is refused" % wrong)
like(p.answer("help set connection-timeout"), r"SECONDS: after how long", "help describes it")
like(p.answer("rank 0 set connection-timeout 5x"), r"error", "the rank itself has no such setting")
p.send("quit")
p.ended()
job.wait(LIMIT)

# ---- a rank that joins later ----

p = Prompt("--listen", "--world", "1")
env = p.listening()
first = Fake(env, 0, 1)
is_(first.told["command"], "set collective-timeout day", "a rank is told nothing of the usual time")
first.stop()
p.expect(r"^\[0\] ")
p.send("set connection-timeout 9")
is_(first.serve(), "set connection-timeout 9", "ranks that are there are told a new one")
first.close()
p.expect(r"^rank 0 is gone")
again = Fake(env, 0, 1, restart=1)
is_(again.told["command"], "set connection-timeout 9", "one that joins later, too")
p.send("quit")
p.ended()
done()
