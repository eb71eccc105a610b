#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An editor attaches to a program that runs: --dap=ADDRESS, cdbg.listen(), CDBG_LISTEN; the token; requests while it runs; bad input."""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402
from dap import LIMIT, Editor  # noqa: E402

folder = tempfile.mkdtemp(prefix="cdbg-dap-")
os.chmod(folder, 0o700)

LOOP = """
    import os, sys, time
    def f(n):
        time.sleep(0.01)
        k = n + 1
        return k
    n = 0
    print("up", flush=True)
    while not os.path.exists(sys.argv[0] + ".end"):
        n = f(n)
    print("over")
    sys.exit(3)
"""


def start(program, *options, env=None, before=("-m", "cdbg")):
    return subprocess.Popen(cdbgtest.argv(*before, *options, script(program)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env=cdbgtest.environment(env))


def end_loop(proc):
    open(proc.args[-1] + ".end", "w").close()


def ended(proc):
    out, err = proc.communicate(timeout=LIMIT)
    return proc.returncode, out, err


# ---- a program that waits at its first line ----

path = folder + "/a.sock"
proc = start(LOOP, "-q", "--dap=unix:" + path)
prog = proc.args[-1]
e = Editor(connect=path)
e.begin("attach")
made = e.configure({prog: [line_of(prog, "k = n + 1")]})[prog]
is_(e.event("stopped")["hitBreakpointIds"], [made[0]["id"]], "--dap=unix:PATH waits for an editor, which sets a breakpoint before the first line")
e.ask("disconnect")
e.close()
is_(e.wrong, [], "... in proper messages")

# ---- it runs on; another one comes ----

e = Editor(connect=path)
e.begin("attach")
is_(e.error("stackTrace", threadId=1), "notStopped", "after disconnect the program runs, and another editor comes: it has no frames to show")
e.configure()
is_(e.ask("threads")["threads"][0]["id"], 1, "threads while it runs")
line = line_of(prog, "k = n + 1")
is_(e.breakpoints(prog, [line])[0]["verified"], True, "a breakpoint is set while it runs")
is_(e.event("stopped")["reason"], "breakpoint", "... and stops")
e.breakpoints(prog, [])
e.send("next", threadId=1)
made = e.breakpoints(prog, [{"line": line, "condition": "False"}])
is_(made[0]["verified"], True, "a breakpoint that is set while a step runs is answered")
is_((e.event("stopped")["reason"], e.frames()[0]["line"]), ("step", line + 1), "... and the step ends where it would have")
e.ask("continue", threadId=1)
like(e.ask("evaluate", expression="info breakpoints", context="repl")["result"], "prog.py", "the console takes commands while it runs")
e.ask("pause", threadId=1)
is_(e.event("stopped")["reason"], "pause", "pause")
second = Editor(connect=path)
like(second.event("output")["output"], "a client is connected already: process %d" % os.getpid(), "a second editor is refused with who is there")
second.event("terminated")
is_(second.wrong, [], "... in proper messages")
second.close()
e.close()       # at the stop, without a word

e = Editor(connect=path)
e.begin("attach", stopOnEntry=True)
e.configure()
is_(e.event("stopped")["reason"], "pause", "an editor that dies at a stop leaves the program running for the next; stopOnEntry stops it")
e.ask("evaluate", expression="detach", context="repl")
e.event("terminated")
like(e.error("threads"), "detached", "'detach' in the console ends the session")
is_(e.wrong, [], "... in proper messages")
e.close()

# ---- bad input ----

e = Editor(connect=path)
is_(e.error("threads"), "threads comes after initialize", "a request before initialize is refused")
e.send_raw(b"Content-Length: 5\r\n\r\n{\"a\":Content-Length: x\r\n\r\n\r\n\xff\xfeContent-Length: 3\r\n\r\n\xff\xff\xff")
e.send_raw(b"Content-Length: 104857600\r\n\r\n")
for i in range(100):
    e.send_raw(b"x" * 1048576)
e.message([1])
e.message({"type": "request"})
e.message({"type": "thing", "seq": 1})
e.message({"type": "request", "seq": "x", "command": "threads", "arguments": 7})
e.seq = 10
like(e.error("nonsense"), "does not know this request", "an unknown request is refused")
is_(e.error("attach"), "attach comes after initialize", "so is one before initialize")
e.begin("attach")
like(e.error("attach"), "has been started", "and a second attach")
like(e.error("setBreakpoints", source={}), "needs the path", "a request without what it needs says so")
like(e.error("setBreakpoints", source={"sourceReference": 99}), "no source 99", "... or with what is not there")
for command, arguments in (("variables", {"variablesReference": -5}), ("disassemble", {"memoryReference": "0x7", "instructionCount": 5}), ("goto", {"targetId": 3}),
                           ("source", {"sourceReference": 77}), ("cdbg/view", {"view": "nothing"}), ("setExpression", {})):
    ok(e.error(command, **arguments) is not None, "%s of nothing is refused" % command)
e.configure()
like(e.console, r"(?s)not JSON.*no number.*104857600 bytes was left out", "what was left out is said in the console")
e.ask("pause", threadId=1)
e.event("stopped")
ok(e.error("disassemble", memoryReference="0x%x" % 2**70, instructionCount=-1) is not None, "numbers that make no sense are refused")
e.ask("disconnect", terminateDebuggee=True)
e.close()
is_(ended(proc)[0], 0, "disconnect can end the program")
is_(e.wrong, [], "all answers are proper messages")

# ---- TCP ----

proc = start(LOOP, "--dap=:0")
host, port, token = re.search(r"listening on ([\d.]+):(\d+), token (\w+)", proc.stderr.readline()).groups()
to = (host, int(port))
for how, arguments, want in (("attach", {}, 'has no "token"'), ("launch", {"token": token[:-1] + "x"}, "wrong token"), ("threads", {}, "its first requests were not")):
    w = Editor(connect=to)
    ok(w.ask("initialize", adapterID="cdbg")["supportsDisassembleRequest"], "an editor over TCP learns what cdbg is capable of")
    w.send(how, **arguments)
    like(w.event("output")["output"], want, "... but is refused with %s" % (want,))
    w.event("terminated")
    is_(w.wrong, [], "... in proper messages")
    w.close()
raw = socket.create_connection(to)
raw.sendall(b"token " + token.encode() + b"\n\n")
raw.settimeout(LIMIT)
ok(b"does not speak the Debug Adapter Protocol" in raw.makefile("rb").read(), "who speaks something else is refused")
raw.close()
e = Editor(connect=to)
e.begin("attach", token=token)
like(e.console, r"(?s)a client was refused, 127.0.0.1:\d+: ", "the one with the token learns who was refused")
e.configure()
e.ask("pause", threadId=1)
e.event("stopped")
is_(e.wrong, [], "and is served")
e.ask("disconnect")
e.close()
end_loop(proc)
is_(ended(proc)[:2], (3, "up\nover\n"), "the program ends as ever")

# ---- the program decides ----

proc = start(LOOP.replace("import os", "import cdbg, os"), before=(), env={"CDBG_LISTEN": "dap:unix:" + folder + "/env.sock"})
e = Editor(connect=folder + "/env.sock")
e.begin("attach")
e.configure()
proc.send_signal(signal.SIGKILL)
is_(e.event("exited")["exitCode"], 128 + 9, "CDBG_LISTEN=dap:ADDRESS serves an editor; a killed program is told")
e.event("terminated")
e.close()
ended(proc)
proc = start("import cdbg\nprint(cdbg.listen('dap:unix:%s/own.sock'), flush=True)\n" % folder + "import time\nwhile True:\n    time.sleep(0.01)\n", before=())
is_(proc.stdout.readline(), "unix:%s/own.sock\n" % folder, "cdbg.listen() does the same")

# ---- an editor that starts its adapter attaches through it ----

with Editor() as e:
    e.begin("attach", connect="unix:%s/own.sock" % folder)
    e.configure()
    e.ask("pause", threadId=1)
    e.event("stopped")
    is_(e.wrong, [], "--dap without a program passes an attach on, seq counts on")
    e.ask("disconnect", terminateDebuggee=True)
    e.event("terminated")
ended(proc)

# ---- C code that holds the interpreter ----

with Editor() as e:
    p = script("import hashlib\ndef f():\n    return 1\nprint('now', flush=True)\nsum(range(60_000_000_000))\n")
    e.launch(p)
    while "now" not in e.out:
        e.next()
    while (made := e.breakpoints(p, [3]))[0]["verified"]:      # it has not begun yet
        e.breakpoints(p, [])
    is_((made[0]["verified"], made[0]["reason"]), (False, "pending"), "a breakpoint that cannot be set now is answered pending")
    e.ask("terminate")
    is_(e.event("exited")["exitCode"], 128 + 9, "terminate ends a program that cannot be reached")
    e.event("terminated")
    is_(e.wrong, [], "... in proper messages")

done()
