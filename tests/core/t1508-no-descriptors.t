#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A process that listens and has no descriptor left sends clients away, and lets in who comes when there are some again."""
import os
import re
import resource
import socket
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402
from ranks import LIMIT, Fake, Prompt  # noqa: E402

FEW = 40


def few():
    resource.setrlimit(resource.RLIMIT_NOFILE, (FEW, FEW))


def connect(where):
    host, _, port = where.rpartition(":")
    return socket.create_connection((host, int(port)), LIMIT)


def said(s):
    """All that the other side says, up to its end."""
    s.settimeout(LIMIT)
    text = b""
    try:
        while got := s.recv(4096):
            text += got
    except ConnectionError:
        pass
    return text.decode()


def holder(port):
    """The process that has the socket which listens on a port."""
    with open("/proc/net/tcp") as f:
        inode = next(w[9] for w in map(str.split, f) if w[3] == "0A" and int(w[1].split(":")[1], 16) == port)
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if any(os.readlink("/proc/%s/fd/%s" % (pid, n)) == "socket:[%s]" % inode for n in os.listdir("/proc/%s/fd" % pid)):
                return int(pid)
        except OSError:
            pass


limits = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (FEW, limits[1]))
start = cdbgtest.argv("-m", "cdbg", "--listen", "--world", "1")
proc = subprocess.Popen(start, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=cdbgtest.environment(), preexec_fn=few)
resource.setrlimit(resource.RLIMIT_NOFILE, limits)
p = Prompt.__new__(Prompt)
p.proc, p.text, p.seen = proc, "", ""
env = p.listening()
crowd = [connect(env["CDBG_CONNECT"]) for i in range(2 * FEW)]
like(said(crowd[0]), r"too many others wait to be let in", "a controller without descriptors sends away who has said nothing for longest")
rank = Fake(env, 0, 1)
ok(rank.knows, "... and lets in a rank that comes then")
rank.stop()
p.says(r"^\[0\] <module> at", "... which has a prompt")
for s in crowd:
    s.close()
rank.close()
p.send("quit")
p.ended()

# ---- a session that listens ----

program = script("""
    import sys
    print("ran")
""")
proc = subprocess.Popen(cdbgtest.argv("-m", "cdbg", "--json=127.0.0.1:0", program), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                        text=True, env=cdbgtest.environment())
text = ""
while not (m := re.search(r"(127\.0\.0\.1:(\d+))[\s\S]*?token\D*?([0-9a-f]{32})", text)):
    line = proc.stderr.readline()
    if not line:
        raise cdbgtest.Trouble("it does not listen: " + text)
    text += line
stranger = connect(m[1])
stranger.sendall(b"token wrong\n")
like(said(stranger), r"wrong token", "a session that listens refuses a wrong token")         # and so it has all descriptors that it needs
stranger.close()
relay = holder(int(m[2]))
LEAST = 12                                      # poll() refuses less for the process's list
resource.prlimit(relay, resource.RLIMIT_NOFILE, (LEAST, LEAST))
free = LEAST - sum(int(n) < LEAST for n in os.listdir("/proc/%d/fd" % relay))
ok(0 < free < 8, "the process that holds a session's socket has few descriptors")
crowd = [connect(m[1]) for i in range(free + 2)]              # that of the stranger may have been counted
like(said(crowd[0]), r"too many others wait to be let in", "it sends a client away, too")
crowd[-1].sendall(b"token %s\n" % m[3].encode())
crowd[-1].settimeout(LIMIT)
like(crowd[-1].recv(1).decode(), r"^\{", "... and lets in the last one")
for s in crowd:
    s.close()
is_(proc.wait(LIMIT), 0, "a client that goes ends the session, and the program runs on")
done()
