#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A session over a socket that listens: --json=unix:PATH and HOST:PORT, cdbg.listen(), CDBG_LISTEN; clients come and go."""
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402

LIMIT = 60 * cdbgtest.PATIENCE
folder = tempfile.mkdtemp(prefix="cdbg-listen-")
os.chmod(folder, 0o700)


class Client:
    """One side of a conversation over a socket."""

    def __init__(self, where, token=None):
        end = time.monotonic() + LIMIT
        while True:
            try:
                if isinstance(where, str):
                    self.s = socket.socket(socket.AF_UNIX)
                    self.s.connect(where)
                else:
                    self.s = socket.create_connection(where)
                break
            except (FileNotFoundError, ConnectionRefusedError):
                if time.monotonic() > end:
                    raise
                time.sleep(0.01)        # the other process has not begun to listen
        self.s.settimeout(LIMIT)
        self.f = self.s.makefile("rb")
        if token is not None:
            self.send("token " + token)

    def send(self, line):
        self.s.sendall(line.encode() + b"\n")

    def next(self):
        raw = self.f.readline()
        return json.loads(raw) if raw else None

    def event(self, *names):
        while (obj := self.next()) is not None and obj.get("event") not in names:
            pass
        return obj

    def cmd(self, line):
        self.send(line)
        while (obj := self.next()) is not None and obj.get("reply") != line:
            pass
        return obj

    def close(self):
        self.f.close()
        self.s.close()


def start(program, *options, env=None, before=("-m", "cdbg")):
    return subprocess.Popen(cdbgtest.argv(*before, *options, script(program)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env=cdbgtest.environment(env))


def ended(proc):
    out, err = proc.communicate(timeout=LIMIT)
    return proc.returncode, out, err


def gone(path):
    """The process beside the program removes its socket after the program's end."""
    end = time.monotonic() + LIMIT
    while os.path.exists(path) and time.monotonic() < end:
        time.sleep(0.01)
    return not os.path.exists(path)


# ---- at the start, a Unix socket ----

LOOP = """
    import os, sys, time
    def f(n):
        return n + 1
    n = 0
    print("up", flush=True)
    while not os.path.exists(sys.argv[0] + ".end"):
        n = f(n)
        time.sleep(0.01)
    print("over")
    sys.exit(3)
"""


def end_loop(proc):
    open(proc.args[-1] + ".end", "w").close()


path = folder + "/new/a.sock"
os.umask(0)
proc = start(LOOP, "--json=unix:" + path)
c = Client(path)
is_([c.next()["event"] for i in range(2)], ["ready", "stopped"], "a client of --json=unix:PATH gets ready and the first stop")
is_([stat.S_IMODE(os.stat(p).st_mode) for p in (folder + "/new", path)], [0o700, 0o600],
    "the socket is the user's alone, in a folder that is made so, whatever the umask")
is_(c.cmd("break f")["ok"], True, "it is served")
c.cmd("continue")
is_(c.event("stopped")["reason"], "breakpoint", "the program stops for it")
second = Client(path)
r = second.next()
like(r["error"], r"^a client is connected already: process %d \(python\S*\), since \d+ s$" % os.getpid(), "a second client is refused with who is there")
is_((r["event"], second.next()), ("refused", None), "... and cut off")
c.close()
c = Client(path)
is_([c.next()["event"] for i in range(2)], ["ready", "running"], "the first leaves at a stop: the program runs, and another may come")
is_(c.cmd("info breakpoints")["rows"], [], "without the breakpoints of the first")
is_(c.cmd("tbreak f")["ok"], True, "it can set some")
is_(c.event("stopped")["reason"], "breakpoint", "... and is served")
c.cmd("continue")
is_(c.cmd("info breakpoints")["rows"], [], "commands are answered while the program runs")
c.cmd("next")
c.close()
c = Client(path)
c.event("running")
c.send("interrupt")
is_(c.event("stopped")["reason"], "interrupt", "a third one, after one that left while the program ran, can interrupt")
is_(c.cmd("restart")["ok"], False, "restart is refused over a socket that listens")
is_(c.cmd("detach")["ok"], True, "detach is answered")
is_(c.cmd("info breakpoints")["ok"], False, "after it the client is told that nobody serves it")
c.close()
c = Client(path)
is_(c.event("running") is not None, True, "after a detach and a departure another may come")
end_loop(proc)
is_(c.event("exited"), {"event": "exited", "status": 3}, "the end of the program is told")
c.send("quit")
is_(ended(proc), (3, "up\nover\n", "cdbg: listening on unix:%s\ncdbg: the program waits for a client\n" % path),
    "the program's descriptors are its own")
ok(gone(path), "the socket is gone with the program")
c.close()

# ---- the program decides ----

proc = start("""
    import cdbg, os, sys, time
    where = cdbg.listen("unix:" + sys.argv[0] + "-d/%p.sock")
    print(where, os.getpid(), flush=True)
    cdbg.breakpoint()
    print(cdbg.listen() == where, flush=True)
""" + LOOP.replace("import os, sys, time", ""), before=())
where, pid = proc.stdout.readline().split()
is_(where, "unix:%s-d/%s.sock" % (proc.args[-1], pid), "cdbg.listen() returns where, %p is the process")
is_(proc.stdout.readline(), "True\n", "cdbg.breakpoint() without a client goes on, and a second listen() changes nothing")
c = Client(where[5:])
is_([c.next()["event"] for i in range(2)], ["ready", "running"], "a client comes while the program runs")
like(c.cmd("break f")["text"], "breakpoint 1", "and sets a breakpoint")
is_(c.event("stopped")["frame"]["function"], "f", "... which stops")
c.cmd("delete")
c.cmd("continue")
c.close()
end_loop(proc)
is_(ended(proc)[::2], (3, "cdbg: listening on %s\n" % where), "the program ends as ever")

proc = start("""
    import cdbg, os, sys, time
    print(cdbg.listen("unix:" + sys.argv[0] + "-d/%p.sock"), flush=True)
    while not os.path.exists(sys.argv[0] + ".go"):
        time.sleep(0.01)
""" + LOOP.replace("import os, sys, time", ""), before=())
c = Client(proc.stdout.readline().strip()[5:])
like(c.cmd("break f")["text"], r"^breakpoint 1 at prog\.py:\d+", "a function of the module that runs is found before it is defined")
open(proc.args[-1] + ".go", "w").close()
is_(c.event("stopped")["frame"]["function"], "f", "... and stops")
c.close()
end_loop(proc)
is_(ended(proc)[0], 3, "the program ends as ever")

proc = start(LOOP.replace("import os", "import cdbg, os"), before=(), env={"CDBG_LISTEN": "unix:" + folder + "/env.sock"})
c = Client(folder + "/env.sock")
is_([c.next()["event"] for i in range(2)], ["ready", "running"], "CDBG_LISTEN does the same where cdbg is imported")
is_(c.cmd("tbreak f")["ok"], True, "... and serves")
c.event("stopped")
is_(c.cmd("p 'CDBG_LISTEN' in os.environ")["text"], "False", "... and is not handed down to children")
os.kill(proc.pid, signal.SIGKILL)
is_(c.event("exited"), {"event": "exited", "signal": "SIGKILL"}, "a program that is killed at a stop is told")
c.close()
ended(proc)

# ---- TCP ----

proc = start(LOOP, "--json=:0")
host, port, token = re.search(r"listening on ([\d.]+):(\d+), token (\w+)", proc.stderr.readline()).groups()
is_(host, "127.0.0.1", "without a host TCP is on the loopback interface")
ok(len(token) == 32, "... and prints a token of 128 bits", token)
to = (host, int(port))
for sent, name in ((b"token " + token.encode()[:-1] + b"x\n", "one with a wrong token"), (b"token\n", "one with none"),
                   (b"info breakpoints\n", "one that sends a command"), (b"x" * 5000, "one that sends anything"),
                   (b"token " + token.encode() + b"0\n", "one whose token is too long")):
    w = Client(to)
    w.s.sendall(sent)
    r = w.next()
    is_((r and r["event"], token in str(r)), ("refused", False), name + " is refused, without a hint")
    try:
        rest = w.next()
    except ConnectionResetError:
        rest = None
    is_(rest, None, "... and cut off")
    w.close()
c = Client(to, token)
r = [c.next() for i in range(3)]
like(r[0].get("text"), r"^a client was refused, 127.0.0.1:\d+: wrong token", "the next client learns who was refused")
is_([x["event"] for x in r[1:]], ["ready", "stopped"], "the one with the token is let in")
w = Client(to)
w.send("info breakpoints")
like(w.next()["error"], "first line was not 'token", "one without it does not learn who is there")
w.close()
w = Client(to, token)
like(w.next()["error"], r"connected already: 127.0.0.1:\d+, since", "one with it does")
w.close()
busy = run("x = 1\n", options=("--json=%s:%s" % to,))
is_((busy[0], "another process uses this port; port 0 takes a free one" in busy[2]), (2, True), "a port in use is an error with a remedy")
c.cmd("kill")
c.close()
ended(proc)

token_file = folder + "/token"
proc = start(LOOP, "--token-file", token_file, "--json=localhost:0")
line = proc.stderr.readline()
like(line, r"^cdbg: listening on 127.0.0.1:\d+, token in %s$" % token_file, "with --token-file the token is not printed")
is_(stat.S_IMODE(os.stat(token_file).st_mode), 0o600, "but in a file that only the user reads")
with open(token_file) as f:
    token = f.read().strip()
c = Client(("127.0.0.1", int(re.search(r":(\d+),", line)[1])), token)
is_(c.event("stopped")["reason"], "start", "which lets in")
c.cmd("kill")
c.close()
ended(proc)
os.chmod(token_file, 0o644)
r = run("x = 1\n", options=("--token-file", token_file, "--json=:0"))
is_((r[0], "nobody else can read" in r[2]), (2, True), "a token file that others can read is refused")

# ---- names that cannot be used ----

for address, want in (("unix:" + folder + "/" + "x" * 120, "a socket's path has at most 107 bytes"),
                      ("unix:" + folder + "/", "names a folder"),
                      ("unix:/tmp/cdbg-test.sock", "other users can enter the folder|belongs to another user"),
                      ("unix:" + folder + "/no/folder/a.sock", "cannot make the folder"),
                      (":99999", "PORT up to 65535"), ("::1:80", "in brackets"), ("nowhere.invalid:1", "cannot listen on")):
    r = run("x = 1\n", options=("--json=" + address,))
    ok(r[0] == 2 and re.search(want, r[2]), "--json=%s is refused with the reason" % address[:40], r)
os.symlink(folder, folder + "-link")
r = run("x = 1\n", options=("--json=unix:" + folder + "-link/a.sock",))
ok(r[0] == 2 and "is a link" in r[2], "a folder that is a link is refused", r)
os.unlink(folder + "-link")
open(folder + "/file", "w").close()
r = run("x = 1\n", options=("--json=unix:" + folder + "/file",))
ok(r[0] == 2 and "not a socket of yours" in r[2] and os.path.exists(folder + "/file"), "a file that is no socket stays", r)
stale = socket.socket(socket.AF_UNIX)
stale.bind(folder + "/stale")
stale.listen()
r = run("x = 1\n", options=("--json=unix:" + folder + "/stale",))
ok(r[0] == 2 and "process %d listens there" % os.getpid() in r[2], "a socket that is listened on stays, with who listens", r)
stale.close()
proc = start(LOOP, "--json=unix:" + folder + "/stale")
c = Client(folder + "/stale")
is_(c.next()["event"], "ready", "one that a dead process left is replaced")

# ---- a client that does not read ----

c.event("stopped")
c.send("\n".join(["info cdbg", "help", "info source", "info code"] * 3000) + "\ncontinue")
line = ""
while "detached" not in line and proc.poll() is None:
    line = proc.stderr.readline()
like(line, "^cdbg: detached, the program runs on: the client did not read", "a client that never reads is cut off, with a note")
d = Client(folder + "/stale")
is_([d.next()["event"] for i in range(2)], ["ready", "running"], "the program runs on, and another may come")
end_loop(proc)
d.event("exited")
d.send("quit")
d.close()
c.close()
is_(ended(proc)[0], 3, "... to its end")

# ---- fork, exec ----

proc = start("""
    import os, sys
    def f(n):
        return n
    pid = os.fork()
    if not pid:
        f(1)
        print("child", flush=True)
        os._exit(5)
    print(os.waitpid(pid, 0)[1] >> 8, flush=True)
    f(2)
    os.execv("/bin/sh", ["sh", "-c", "exit 9"])
""", "-q", "--json=unix:" + folder + "/fork.sock")
c = Client(folder + "/fork.sock")
c.event("stopped")
c.cmd("break f")
c.cmd("continue")
is_(c.event("stopped", "exited")["event"], "stopped", "with a client a fork's child stops nowhere, its parent does")
is_(c.cmd("p n")["text"], "2", "... in its own call")
c.cmd("continue")
is_(c.event("exited"), {"event": "exited", "status": 9}, "a program that becomes another one is told at its end")
is_(c.next(), None, "... as the last object")
is_(ended(proc), (9, "child\n5\n", ""), "the outputs are the program's; -q prints nothing")
c.close()

# ---- waiting ----

proc = start("print('never')\n", "--json=unix:" + folder + "/wait.sock")
while "waits" not in proc.stderr.readline():
    pass
proc.send_signal(signal.SIGINT)
code, out, err = ended(proc)
is_((code != 0, out, gone(folder + "/wait.sock")), (True, "", True), "Ctrl-C ends a program that waits for its first client")

import shutil  # noqa: E402
shutil.rmtree(folder, ignore_errors=True)
done()
