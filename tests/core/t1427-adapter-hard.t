#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Requests without arguments, or with null for them; a socket that another user has made; restart where nobody is at the terminal."""
import os
import signal
import socket
import subprocess
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from cdbgtest import argv, environment  # noqa: E402
from dap import Editor  # noqa: E402

p = script("for i in range(3):\n    print(i)\n")


class Nulls(Editor):
    """null: send requests with null in the place of their arguments."""
    null = True

    def message(self, m):
        super().message(dict(m, arguments=None) if self.null else m)


# ---- null ----
with Nulls() as e:
    is_(e.ask("initialize").get("supportsRestartRequest"), True, "initialize with null is answered")
    like(e.error("launch"), 'launch needs a "program"', "launch with null is refused, with what it needs")
    like(e.error("attach"), 'attach needs "processId"', "attach, too")
    e.null = False
    is_(e.error("attach", processId="${pid}"), "processId: expected the number of a process, not '${pid}'", "attach by what is no number is refused in words")
    like(e.error("launch", program=p, console="integratedTerminal"), "this editor has no terminal", "what initialize left out is not there")
    e.send_raw(b"Content-Length: 200000\r\n\r\n" + b"[" * 200000)
    e.started = e.send("launch", program=p, stopOnEntry=True)
    e.event("initialized")
    e.configure()
    e.event("stopped")
    e.null = True
    for name in ("threads", "stackTrace", "scopes", "variables", "evaluate", "setBreakpoints", "setFunctionBreakpoints", "setExceptionBreakpoints", "source",
                 "disassemble", "completions", "gotoTargets", "loadedSources", "modules", "exceptionInfo", "setVariable", "dataBreakpointInfo"):
        e.cmd(name)
    is_(len(e.ask("threads")["threads"]), 1, "the program answers requests with null, too, each of them")
    e.ask("continue")
    is_((e.run_out(), e.out, e.stray, e.wrong), (0, "0\n1\n2\n", "", []), "... and runs to its end; no traceback was written, and all messages are as the protocol says")

# ---- a file that is not there ----
with Editor() as e:
    e.ask("initialize")
    is_(e.error("launch", program=p + ".none"), "the program has ended with status 2: its output says why", "a file that is not there is no silent end")
    is_((e.run_out(), "can't open file '%s.none'" % p in e.err), (2, True), "... it does, in the debug console")

# ---- another user's socket ----
if os.geteuid():
    skip("a socket that another user has made is not spoken to", "needs root, to be two users")
else:
    folder = tempfile.mkdtemp()
    os.chmod(folder, 0o777)
    where = folder + "/s.sock"
    s = socket.socket(socket.AF_UNIX)
    ready = os.pipe()
    pid = os.fork()
    if not pid:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
        s.bind(where)
        s.listen()
        os.write(ready[1], b"x")
        while True:
            signal.pause()
    os.read(ready[0], 1)
    with Editor() as e:
        e.ask("initialize", adapterID="cdbg")
        like(e.error("attach", connect="unix:" + where), "another user, 65534, listens on unix:/.*: connect to a socket in a folder of your own",
             "a socket that another user has made is not spoken to")
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)

# ---- restart ----
where = tempfile.mkdtemp() + "/s.sock"
proc = subprocess.Popen(argv("-m", "cdbg", "-nx", "--dap=unix:" + where, p), env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT)
e = Editor(connect=where)
e.begin("attach")
is_(e.event("capabilities")["capabilities"]["supportsRestartRequest"], False, "a program that serves a socket, with nobody at its terminal, cannot be restarted in its place")
e.configure({p: [2]})
e.event("stopped")
like(e.error("restart"), "it serves a socket and nobody is at its terminal", "... and restart says so")
like(str(e.error("evaluate", expression="restart", context="repl")), "it serves a socket and nobody is at its terminal", "the command restart, too")
e.breakpoints(p, [])
e.ask("continue", threadId=1)
is_((e.run_out(), e.wrong), (0, []), "the program runs on")
e.ask("disconnect")
e.close()
is_(proc.wait(timeout=60), 0, "... to its end")
proc.stdout.close()
done()
