#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What may knock at a controller's door, or come in and misbehave; and very many ranks.  The ranks are fakes."""
import json
import os
import re
import socket
import sys
import threading
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from ranks import LIMIT, Fake, Peer, Prompt  # noqa: E402


def open_door(world, *options):
    p = Prompt("--listen", "--world", str(world), *options)
    return p, p.listening()


def raw(env):
    host, _, port = env["CDBG_CONNECT"].rpartition(":")
    return socket.create_connection((host, int(port)))


def refusal(fake):
    return fake.answer and fake.answer.get("error")


# ---- at the door ----

p, env = open_door(2)
silent = [raw(env) for i in range(20)]
like(refusal(Fake(env, 0, 2, token="0" * 32)), "does not know the token", "a wrong token is refused")
p.says(r"a rank was refused, 127\.0\.0\.1:\d+: it does not know the token\n", "... which the user is told")
for more, why in (({"protocol": 2}, "speaks protocol 2, this controller .* 1: install the same version"), ({"event": "hi"}, "no hello"), ({"rank": 2}, "rank 2 of 2"),
                  ({"rank": -1}, "rank -1"), ({"rank": "0"}, "rank -1"), ({"rank": 1 << 40}, "rank 1099511627776"), ({"world": 3}, "of 3 ranks, the job has 2"), ({"nonce": None}, "token"),
                  ({"proof": ["x"]}, "token")):
    fake, name = Fake(env, 0, 2, hello=False), json.dumps(more)
    fake.hello(env["CDBG_TOKEN"], more.pop("world", 2), **more)
    like(refusal(fake), why, "a hello with %s is refused" % name)
s = Peer(raw(env))
s.next()
try:
    for i in range(1 << 14):
        s.s.sendall(b"x" * 65536)               # a gigabyte, if it is let
    sent = True
except OSError:
    sent = False
is_(sent, False, "a hello of a gigabyte is cut off")
for text in (b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00\n", b"{}\n", b"[" * 4000 + b"\n", b"{\"event\":\"hello\"\n", b"\xff\xfe\n"):
    s = Peer(raw(env))
    s.next()
    s.s.sendall(text)
    like(s.next()["error"], "no hello", "%r is no hello" % text[:16])
a = Fake(env, 0, 2, host="h\x1b[31m\n0", version="\x1b]0;x\x07")
is_(a.knows, True, "a right rank is let in meanwhile, and the controller knows the token")
like(refusal(Fake(env, 0, 2)), r"^rank 0 is there already: process 1000 on h\\x1b\[31m\\n0$", "a second rank of a number is refused, with who has it")
like(p.expect(r"a rank was refused, \S+: rank 0 is there.*\n").group(), r"h\\x1b\[31m\\n0$", "... and nothing that a hello says controls the terminal")
b = Fake(env, 1, 2)
b.stop()
a.stop(text="\x1b[2Jfake\x9b stop\u202e at a.py:1")
p.says(r"^\[0\] .x1b\[2Jfake\\x9b stop\\u202e at a\.py:1\n\[1\] <module> at", "nor does what a rank says later")

# ---- inside ----

a.send("this is no JSON")
a.send("[1,2]")
a.send(json.dumps({"event": "nonsense", "text": 3}))
a.send({"event": "stopped"})
a.send({"event": "stopped", "reason": {"a": 1}, "frame": [1]})
a.send({"reply": 3, "id": 10 ** 30})
a.send({"event": "note", "level": "warning", "text": "\x1b[1mnote"})
p.send("print 1")
a.serve(text="one\x1b[0m")
p.expect(r"^one\\x1b\[0m\n")
p.says(r"^\[0\]\nwhat it sent cannot be read: .*\nwhat it sent cannot be read: .*\n\\x1b\[1mnote\n", "a rank that sends nonsense goes on, and the user is told")
p.send("rank all info locals")
wanted = a.next()
is_((wanted["command"], wanted["as"]), ("info locals", "text"), "a command has an id, and asks for text")
b.serve(text="at 0x7f0000001234, __dtensor_spec_139869160452672")
a.send({"id": wanted["id"] - 1, "reply": "old", "ok": True, "text": "too late"})
a.reply(wanted, text="at 0x7fffffffffff, __dtensor_spec_139869160459999")
p.says(r"^\[0-1\] at 0x7fffffffffff", "answers that differ in addresses alone are equal, and one to an older command is none to this")
p.send("print 2")
a.next()
a.close()
p.expect(r"rank 0 is gone: process 1000 on .*\n")
p.says(r"^gone\n", "a rank that goes while it is asked holds up nobody")
is_(p.answer("ranks"), "[0] gone\n[1] stopped start <module> a.py:1\n", "... its place in the table says so")
a = Fake(env, 0, 2, restart=1)
is_(a.knows, True, "it can come again")
p.expect(r"rank 0 joined again \(restart 1\)\n")
a.stop()
p.send("continue")
for each in a, b:
    is_(each.serve(), "continue", "a rank is continued")
b.stop("recompile", "f", line=6)
p.says(r"^\[1\] f at /p/a\.py:6\n", "one that stops is shown, though the other runs on")
is_(p.answer("ranks"), "[0] running\n[1] stopped recompile f a.py:6\n", "... and is told apart")
p.send("quit")
is_([next(c for c in iter(lambda: r.next()["command"], None) if c != "look") for r in (a, b)], ["quit", "quit"], "quit is for all ranks")
is_(p.ended()[0], 0, "... and the controller ends")
for s in silent:
    s.close()

# ---- many ----

WORLD = 256
p, env = open_door(WORLD)
fakes = [Fake(env, r, WORLD) for r in range(WORLD)]
for f in fakes:
    f.stop()
p.says(r"^\[0-255\] <module> at /p/a\.py:1\n", "256 ranks join")


def serve_all():
    for f in fakes:
        f.serve(text="4" if f.rank != 77 else "5")


for i in range(2):
    t = threading.Thread(target=serve_all)
    t.start()
    p.send("rank all print x")
    p.says(r"^\[0-76,78-255\] 4\n\[77\] 5\n", "a command to all of them is answered in two lines, %s time" % ("first", "second")[i])
    t.join()
with open("/proc/%d/status" % p.proc.pid) as f:
    kib = int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1))
ok(kib < 64 << 10, "the controller takes less than 64 MiB for them", "%d KiB" % kib)
p.send("continue")
for f in fakes:
    f.serve()
for f in fakes:
    f.send({"event": "exited", "status": 0})
for f in fakes:
    f.next()
    f.close()
p.says(r"^\[0-255\] ended with status 0\n", "their ends are one line")
p.send("quit")
p.ended()
done()
