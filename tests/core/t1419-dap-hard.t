#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""--dap when things go wrong: an editor that does not read, a program that forks, becomes another, or is in a signal's handler."""
import json
import os
import subprocess
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402
from dap import LIMIT, Editor, _connected  # noqa: E402

where = tempfile.mkdtemp() + "/s.sock"
mark = tempfile.mkdtemp() + "/over"
p = script("""
    import sys
    def f(n):
        m = n + 1
        return m
    text = "x" * 2000
    for i in range(3000):
        f(i)
    open(sys.argv[1], "w").close()
    print("over", flush=True)
""")


def requests(*rows):
    """The bytes of these requests."""
    out = b""
    for seq, (command, arguments) in enumerate(rows, 1):
        data = json.dumps(dict(seq=seq, type="request", command=command, arguments=arguments)).encode()
        out += b"Content-Length: %d\r\n\r\n" % len(data) + data
    return out


def session(how, **arguments):
    return requests(("initialize", {"adapterID": "cdbg"}), (how, arguments),
                    ("setBreakpoints", {"source": {"path": p}, "breakpoints": [{"line": line_of(p, "return m"), "logMessage": "{text}"}]}),
                    ("configurationDone", {}))


# ---- an editor that does not read: one that started the program gets time, meanwhile the others are tried ----

deaf = subprocess.Popen(cdbgtest.argv("-m", "cdbg", "--dap"), env=cdbgtest.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
deaf.stdin.write(session("launch", program=p, args=[mark]))
deaf.stdin.flush()

proc = subprocess.Popen(cdbgtest.argv("-m", "cdbg", "--dap=unix:" + where, p, mark + ".2"), env=cdbgtest.environment(), stdin=subprocess.DEVNULL,
                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
s = _connected(where)
s.sendall(session("attach"))
out, err = proc.communicate(timeout=LIMIT)
is_((proc.returncode, out), (0, "over\n"), "a program whose editor reads nothing of a socket runs on to its end")
like(err, "detached, the program runs on: the client did not read", "... and says so")
s.close()

# ---- fork and exec ----

p2 = script("""
    import os, sys
    def f(n):
        return n + 1
    pid = os.fork()
    f(1)
    if not pid:
        print("child", flush=True)
        os._exit(0)
    os.waitpid(pid, 0)
    f(2)
    print("parent", flush=True)
    os.execv(sys.executable, [sys.executable, "-c", "print('another', flush=True); raise SystemExit(7)"])
""")
with Editor() as e:
    e.launch(p2, {p2: [line_of(p2, "return n + 1")]})
    e.event("stopped")
    e.ask("continue", threadId=1)
    e.event("stopped")
    is_(e.ask("evaluate", expression="n", context="watch", frameId=e.frames()[0]["id"])["result"], "2", "a forked child stops nowhere, its parent at its next hit")
    e.ask("continue", threadId=1)
    is_(e.run_out(), 7, "what the program becomes by exec is followed to its end")
    is_((e.out, e.wrong), ("child\nparent\nanother\n", []), "the output of all of them comes, in proper messages")

# ---- in the handler of a signal ----

p3 = script("""
    import signal
    n = 0
    def handler(*unused):
        global n
        print("in it", flush=True)
        while True:
            n += 1
    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    while True:
        pass
""")
with Editor() as e:
    e.launch(p3)
    while "in it" not in e.out:
        e.next()
    is_(e.breakpoints(p3, [line_of(p3, "n += 1")])[0]["verified"], True, "a breakpoint is set while a handler of a signal runs")
    e.event("stopped")
    is_(e.frames()[0]["name"], "handler", "... and stops there")
    e.breakpoints(p3, [])
    e.ask("continue", threadId=1)
    e.ask("terminate")
    e.event("terminated")
    is_(e.wrong, [], "terminate ends it there")

# ---- the first one ----

is_(deaf.wait(timeout=LIMIT), 0, "so does one whose editor started it and reads nothing of a pipe")
ok(os.path.exists(mark), "... to its end")

done()
