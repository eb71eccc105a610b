#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""launch with console integratedTerminal: the editor runs the program in a terminal, which keeps its input and output."""
import os
import pty
import subprocess
import sys
import threading
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402
from dap import LIMIT, Editor  # noqa: E402

p = script("""
    import os, sys
    def f(n):
        return n + 1
    print(f(1), os.environ.get("GIVEN"), sys.argv[1:], sys.stdin.isatty())
    name = input("name? ")
    print("hello", name)
    sys.exit(3)
""")


class Shell:
    """The editor's terminal."""

    def __init__(self, arguments):
        self.here, there = pty.openpty()
        env = dict(cdbgtest.environment({name: value for name, value in (arguments.get("env") or {}).items() if value is not None}), TERM="dumb")
        self.proc = subprocess.Popen(arguments["args"], stdin=there, stdout=there, stderr=there, cwd=arguments["cwd"], env=env, start_new_session=True)
        os.close(there)
        self.text = ""
        self.more = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        try:
            while data := os.read(self.here, 4096):
                with self.more:
                    self.text += data.decode("utf-8", "replace")
                    self.more.notify_all()
        except OSError:     # the other end is closed
            pass

    def wait(self, text):
        with self.more:
            return self.more.wait_for(lambda: text in self.text, LIMIT)


def terminal_request(e):
    while not e.requests:
        e.next()
    return e.requests[0]


with Editor() as e:
    e.ask("initialize", adapterID="cdbg", supportsRunInTerminalRequest=True)
    e.started = e.send("launch", program=p, args=["a b"], env={"GIVEN": "x", "GONE": None}, cwd=os.path.dirname(p), console="integratedTerminal")
    m = terminal_request(e)
    is_((m["command"], m["arguments"]["kind"], m["arguments"]["cwd"], m["arguments"]["env"]), ("runInTerminal", "integrated", os.path.dirname(p), {"GIVEN": "x", "GONE": None}),
        "the editor is asked to run it in its terminal")
    shell = Shell(m["arguments"])
    e.seq += 1
    e.message({"seq": e.seq, "type": "response", "request_seq": m["seq"], "success": True, "command": "runInTerminal", "body": {"processId": shell.proc.pid}})
    e.event("initialized")
    where = next(a for a in m["arguments"]["args"] if a.startswith("--dap=unix:"))[len("--dap=unix:"):]
    is_(os.path.exists(os.path.dirname(where)), False, "the socket between both and its folder are gone once both are connected")
    e.configure({p: [3]})
    is_(e.event("stopped")["reason"], "breakpoint", "a breakpoint stops")
    is_(e.frames()[0]["name"], "f", "... and has its frames")
    e.ask("continue", threadId=1)
    ok(shell.wait("2 x ['a b'] True"), "what the program writes is in the terminal", lambda: shell.text)
    ok(shell.wait("name? "), "it asks there", lambda: shell.text)
    os.write(shell.here, b"you\n")
    ok(shell.wait("hello you"), "... and reads the answer", lambda: shell.text)
    is_((e.event("exited")["exitCode"], e.event("terminated") is not None), (3, True), "its end is told")
    e.ask("disconnect")
    is_(shell.proc.wait(timeout=LIMIT), 3, "its status is its own")
    is_((e.out, e.wrong), ("", []), "all messages are as the protocol says, seq counts on")

with Editor() as e:
    e.ask("initialize", adapterID="cdbg")
    like(e.error("launch", program=p, console="integratedTerminal"), "no terminal.*internalConsole", "an editor without terminals is told what to use")
    e.ask("disconnect")

with Editor() as e:
    e.ask("initialize", adapterID="cdbg", supportsRunInTerminalRequest=True)
    started = e.send("launch", program=p, console="externalTerminal")
    m = terminal_request(e)
    is_(m["arguments"]["kind"], "external", "an external terminal")
    e.seq += 1
    e.message({"seq": e.seq, "type": "response", "request_seq": m["seq"], "success": False, "command": "runInTerminal", "message": "no xterm"})
    like(e.answer(started)["message"], "did not run.*no xterm", "an editor that cannot run it ends the launch with the reason")
    where = next(a for a in m["arguments"]["args"] if a.startswith("--dap=unix:"))[len("--dap=unix:"):]
    is_(os.path.exists(os.path.dirname(where)), False, "... and leaves no folder")
    e.ask("disconnect")
    is_((e.end(), e.wrong), (0, []), "... in proper messages")

done()
