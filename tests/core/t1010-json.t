#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The machine interface: objects, their order, the program's output among them, interrupt, the end of input, sockets."""
import json
import os
import socket
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402


def rest(d):
    """All objects up to the end of cdbg's output."""
    objects = []
    while (raw := d.lines.get(timeout=100)) is not None:
        objects.append(json.loads(raw))
    return objects


# ---- objects ----

with Cdbg("""
    import sys
    def f(n):
        print("in f", n)
        return n
    f(1)
    sys.stderr.write("to stderr\\n")
    f(2)
    sys.exit(5)
""") as d:
    is_(list(d.ready)[:5], ["event", "protocol", "version", "python", "plugins"], "ready comes first, with its keys")
    is_(d.ready["protocol"], 1, "the protocol has a number")
    ok(isinstance(d.ready["plugins"], list), "ready lists the plugins")
    is_(d.stop["reason"], "start", "then the program is stopped before its first line")
    is_(list(d.frame), ["level", "function", "qualname", "file", "line", "kind", "offset", "index", "opname", "arg", "region", "entry"],
        "a frame has the keys of the interface")
    r = d.do("break f")
    is_(sorted(r), ["breakpoint", "ok", "reply", "text"], "a reply has text")
    r = d.do("info breakpoints")
    is_((r["view"], "text" in r, type(r["rows"])), ("breakpoints", False, list), "or a view's rows in its place")
    r = d.do("continue")
    is_(r, {"reply": "continue", "ok": True}, "a command that resumes answers at once, with nothing more")
    is_(d.wait()["reason"], "breakpoint", "then it stops")
    is_(d.stop["number"], 1, "a breakpoint's stop has its number")
    d.go("finish")
    is_((d.reason, d.stop["value"]), ("return", "1"), "a stop at a return has the value")
    is_(d.out, "in f 1\n", "what the program printed is reported before the stop")
    d.do("delete")
    d.do("break 7")
    d.go()
    is_(d.err, "to stderr\n", "standard error is a stream of its own")
    is_(d.cmd("frob")["ok"], False, "an unknown command is refused")
    like(d.error("frob"), "unknown command 'frob'", "and named")
    is_(d.cmd("  p   1 +  1 ")["text"], "2", "a reply is to the command as given, spaces and all")
    is_(d.do("interrupt").get("ok"), True, "interrupt while stopped is answered")
    d.do("!print('by hand')")
    like(d.out, "by hand\n$", "what a command makes the program print comes before its reply")
    d.do("commands 2")
    d.do("print 40 + 2")
    is_(d.do("end")["ok"], True, "lines up to end are answered one by one")
    is_(d.run_out()["status"], 5, "exited has the status")
    like(d.error("step"), "has ended", "after the end a step is refused with the reason")
    is_(d.rows("info breakpoints")[0]["number"], 2, "and what remains can be looked at")
    is_(d.close(), 5, "the process ends with the program's status")

# ---- text ----

with Cdbg("""
    import os, sys
    w = lambda b: os.write(1, b)
    for c in "h\\u00e9\\u20ac\\U0001f600".encode():
        w(bytes([c]))
    x = 1
    w(b"\\xff|\\xe2\\x82|\\xed\\xa0\\x80|\\xc0\\x80\\n")
    a, b, c = 2**53, 2**53 + 1, -2**70
    s = "\\ud800 \\x00\\x1f \\u2028"
    w(b"tail\\xe2\\x82")
""") as d:
    d.do("break 5")
    d.go()
    is_(d.out, "h\u00e9\u20ac\U0001f600", "characters written byte by byte are whole")
    d.do("break 9")
    d.go()
    is_(d.out.split("\U0001f600")[1], "\ufffd|\ufffd|\ufffd\ufffd\ufffd|\ufffd\ufffd\n", "what is not UTF-8 becomes U+FFFD")
    d.go("next")
    like(d.text("p s"), "ud800", "a lone surrogate can be shown")
    d.run_out()
    ok(d.out.endswith("tail\ufffd"), "half a character at the end is reported at the end", d.out)

# ---- much output, children, threads ----

with Cdbg("""
    import subprocess, sys, threading
    def flood():
        for i in range(200):
            sys.stdout.write("x" * 9999 + "\\n")
    t = threading.Thread(target=flood)
    t.start()
    flood()
    t.join()
    sys.stdout.flush()
    y = subprocess.call(["sh", "-c", "echo child; echo oops >&2; head -c 1000000 /dev/zero | tr '\\\\0' z"])
    subprocess.Popen(["sleep", "60"])
    print("end")
""") as d:
    d.do("break 10")
    d.go()
    is_(len(d.out), 4000000, "four megabytes from two threads are all told before the stop")
    d.run_out()
    is_((d.out.count("z"), "child\n" in d.out, d.err), (1000000, True, "oops\n"), "children's output is reported")
    ok(d.out.endswith("end\n"), "and a child that lives on does not keep the end from being told", d.out[-50:])
    is_(d.close(), 0, "nor the process from ending")

with Cdbg("""
    import os
    print("held back")
    os.write(1, b"written ")
    os.write(2, b"error")
    os._exit(6)
""", env={"PYTHONUNBUFFERED": ""}) as d:
    d.do("continue")
    objects = rest(d)
    is_("".join(o["text"] for o in objects if o.get("event") == "output" and o["stream"] == "stdout"), "written ",
        "what was written before os._exit is reported, what Python held back is not")
    is_(objects[-1], {"event": "exited", "status": 6}, "os._exit gives exited with its status")
    is_(d.proc.wait(60), 6, "and its status is the process's")

with Cdbg("""
    import os, sys
    print("before", flush=True)
    os.execv("/bin/sh", ["sh", "-c", "echo after; sleep 0.2; echo error >&2; exit 7"])
""") as d:
    d.do("continue")
    objects = rest(d)
    is_("".join(o["text"] for o in objects if o.get("stream") == "stdout"), "before\nafter\n",
        "a program that becomes another one by exec is still reported")
    is_("".join(o["text"] for o in objects if o.get("stream") == "stderr"), "error\n", "on both streams")
    is_(objects[-1], {"event": "exited", "status": 7}, "and exited at its end")
    is_(d.proc.wait(60), 7, "with that one's status")

# ---- interrupt ----

with Cdbg("""
    n = 0
    print("up", flush=True)
    while True:
        n += 1
""") as d:
    d.do("continue")
    while "up" not in d.out:
        d.next()
    d.send("interrupt")
    d.answer("interrupt")
    is_(d.wait()["reason"], "interrupt", "interrupt stops a busy loop")
    ok(int(d.text("p n")) >= 0, "in the middle of it")
    d.send("continue")
    d.send("interrupt")
    d.answer("continue")
    d.answer("interrupt")
    is_(d.wait()["reason"], "interrupt", "interrupt after a continue that has not been read yet stops it too")
    d.do("continue")
    d.interrupt()
    is_(d.wait()["reason"], "interrupt", "Ctrl-C does the same")
    d.send("p [0 for i in iter(int, 1)]")
    d.send("interrupt")
    r = d.answer("p [0 for i in iter(int, 1)]")
    is_((r["ok"], "KeyboardInterrupt" in r.get("error", "")), (False, True), "interrupt ends what a command evaluates")
    is_(d.answer("interrupt")["ok"], True, "and is answered in its turn")
    is_(d.text("p 1 + 1"), "2", "and what is evaluated next goes its way")
    d.send("p 1 + 2\ninterrupt\ninterrupt\np 1 + 3")
    is_([d.answer(x).get("text") for x in ("p 1 + 2", "interrupt", "interrupt", "p 1 + 3")], ["3", "", "", "4"],
        "an interrupt does not end what is done at once")
    d.do("detach")
    d.proc.kill()

with Cdbg("""
    import time
    t = time.monotonic()
    time.sleep(1)
    ok = time.monotonic() - t
    print(ok >= 1)
""") as d:
    d.do("break 4")
    d.do("tbreak 3")
    d.go()
    d.send("continue")
    d.send("interrupt")
    is_(d.wait()["reason"], "interrupt", "interrupt is heard in a sleep")
    d.run_out()
    is_(d.out, "True\n", "which runs for its full time")

# ---- the end of input ----

prog = script("""
    import sys
    def f():
        print("on")
    for i in range(3):
        f()
    sys.exit(4)
""")
proc = subprocess.run(cdbgtest.argv("-m", "cdbg", "--json", prog), input=b"break f\ncontinue\n", env=cdbgtest.environment(),
                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100)
objects = [json.loads(l) for l in proc.stdout.splitlines()]
is_(objects[-1], {"event": "exited", "status": 4}, "end of input detaches: the program runs on and its end is reported")
is_("".join(o.get("text", "") for o in objects if o.get("event") == "output"), "on\n" * 3, "so is its output")
is_((proc.returncode, proc.stderr), (4, b""), "the status is its own, and nothing is reported elsewhere")

proc = subprocess.run(cdbgtest.argv("-m", "cdbg", "--json", prog), input=b"detach\ninfo breakpoints\nquit\n",
                      env=cdbgtest.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100)
objects = [json.loads(l) for l in proc.stdout.splitlines()]
is_([o["ok"] for o in objects if "reply" in o], [True, False, False], "commands after detach are refused, one by one")
is_(objects[-1], {"event": "exited", "status": 4}, "and the program runs to its end")

proc = subprocess.run(cdbgtest.argv("-m", "cdbg", "--json", prog), input=b"p [0 for i in iter(int, 1)]\ninterrupt\n",
                      env=cdbgtest.environment(), stdout=subprocess.PIPE, timeout=100)
is_(proc.returncode, 4, "an interrupt is heard though the input has ended")

proc = subprocess.run(cdbgtest.argv("-m", "cdbg", "--json", prog), input=b"quit 9", env=cdbgtest.environment(),
                      stdout=subprocess.PIPE, timeout=100)
is_((proc.returncode, b"exited" in proc.stdout), (9, False), "quit ends the process at once, a last line without newline counts")
proc = subprocess.run(cdbgtest.argv("-m", "cdbg", "--json", prog), input=b"kill\nprint 1\n", env=cdbgtest.environment(),
                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60 * cdbgtest.PATIENCE)
is_((proc.returncode, b'"print 1"' in proc.stdout), (0, False), "so does kill")

# ---- a program that cannot run ----

for text, name, want in (("x = (\n", "a script that is not Python", "SyntaxError"),
                         ("import sys; sys.exit('bye')", "sys.exit with a text", "^bye$")):
    proc = subprocess.run(cdbgtest.argv("-m", "cdbg", "--json", script(text)), input=b"continue\n" * 2, env=cdbgtest.environment(),
                          stdout=subprocess.PIPE, timeout=100)
    objects = [json.loads(l) for l in proc.stdout.splitlines()]
    is_(([o["status"] for o in objects if o.get("event") == "exited"], proc.returncode), ([1], 1), name + ": exited, status 1")
    like("".join(o["text"] for o in objects if o.get("stream") == "stderr"), want, name + ": said on its standard error")

# ---- a socket ----

ours, theirs = socket.socketpair()
proc = subprocess.Popen(cdbgtest.argv("-m", "cdbg", "--json=%d" % theirs.fileno(), prog), pass_fds=[theirs.fileno()],
                        env=cdbgtest.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
theirs.close()
ours.settimeout(100)
wire = ours.makefile("rwb")


def objects_to(*last):
    """Objects of the socket up to one of these events; notes are not of interest here."""
    got = []
    while not got or got[-1].get("event") not in last:
        got += [o for o in [json.loads(wire.readline())] if o.get("event") != "note"]
    return got


is_([o["event"] for o in objects_to("stopped")], ["ready", "stopped"], "a socket carries the same objects")
wire.write(b"continue\n")
wire.flush()
objects = objects_to("exited")
is_(objects, [{"reply": "continue", "ok": True}, {"event": "exited", "status": 4}], "but no output objects")
wire.write(b"quit\n")
wire.flush()
is_((proc.communicate(timeout=100), proc.returncode), ((b"on\n" * 3, b""), 4), "the program's descriptors are its own")
wire.close()
ours.close()

# ---- forks ----

with Cdbg("""
    import os, sys
    def f(n):
        return n
    pid = os.fork()
    if not pid:
        f(1)
        breakpoint()
        print("child", flush=True)
        sys.exit(3)
    print(os.waitpid(pid, 0)[1] >> 8)
    f(2)
""", env={"PYTHONBREAKPOINT": "cdbg.breakpoint"}) as d:
    d.do("break f")
    d.go()
    is_((d.reason, d.text("p n")), ("breakpoint", "2"), "a fork's child stops nowhere, its parent does")
    is_(d.out, "child\n3\n", "the child's output and status are its own")
    is_(d.run_out()["status"], 0, "and exited is reported once, by the parent")

# ---- restart ----

with Cdbg("""
    import os, sys
    os.environ["CHANGED"] = "1"
    os.chdir("/")
    def f(n):
        return n
    f(len(sys.argv))
""", "one", env={"PLACE": "kept"}) as d:
    d.do("break f if n == 2")
    d.do("set repr-limit 77")
    d.do("display n")
    d.go()
    d.do("restart")
    is_((d.next()["event"], d.wait()["reason"]), ("ready", "start"), "restart begins again")
    is_([(r["type"], r["condition"]) for r in d.rows("info breakpoints")], [("breakpoint", "n == 2")], "breakpoints stay")
    like(d.text("show repr-limit"), "77", "options stay")
    is_(d.text("!__import__('os').environ.get('CHANGED')"), "", "the environment is the first one")
    d.go()
    is_((d.reason, d.text("p n")), ("breakpoint", "2"), "the arguments are the same")
    is_(len(d.rows("info display")), 1, "displays stay")
    d.run_out()
    d.do("restart")
    is_((d.next()["event"], d.wait()["reason"]), ("ready", "start"), "after the end too")

done()
