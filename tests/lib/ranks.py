# SPDX-License-Identifier: BSD-3-Clause
"""Both sides of the conversation between a controller and its ranks, for tests: see ui/ranks/handshake.h."""
import hashlib
import hmac
import json
import os
import re
import secrets
import select
import socket
import subprocess
import threading

import cdbgtest

LIMIT = 60 * cdbgtest.PATIENCE
START = os.path.join(cdbgtest.build, "inplace", "cdbg", "start")


def proof(token, role, a, b):
    return hmac.new(token.encode(), ("cdbg %s %s %s" % (role, a, b)).encode(), hashlib.sha256).hexdigest()


class Peer:
    """Lines of JSON over a socket."""

    def __init__(self, s):
        self.s = s
        s.settimeout(LIMIT)
        self.f = s.makefile("rb")

    def next(self):
        """The next object; None at the end."""
        try:
            raw = self.f.readline()
        except ConnectionError:
            return None
        return json.loads(raw) if raw else None

    def event(self, *names):
        """The next event of these names; None at the end."""
        while (obj := self.next()) is not None and obj.get("event") not in names:
            pass
        return obj

    def send(self, obj):
        self.s.sendall((obj if isinstance(obj, str) else json.dumps(obj)).encode() + b"\n")

    def close(self):
        self.f.close()
        self.s.close()


class Asked(Peer):
    """A rank as a controller sees it: commands have ids."""

    ids = 0

    def cmd(self, line, **more):
        Asked.ids += 1
        mine = Asked.ids
        self.send(dict(more, id=mine, command=line))
        while (obj := self.next()) is not None and obj.get("id") != mine:
            pass
        return obj

    def go(self, line="continue"):
        """A command that resumes; the stop or the end that follows."""
        self.cmd(line)
        return self.event("stopped", "exited")


class Controller:
    """Waits for ranks on a Unix socket, or on a port of the loopback interface."""

    def __init__(self, folder=None, token=None):
        self.token = token or secrets.token_hex(16)
        if folder:
            self.address = "unix:%s/c.sock" % folder
            self.s = socket.socket(socket.AF_UNIX)
            self.s.bind(self.address[5:])
        else:
            self.s = socket.create_server(("127.0.0.1", 0))
            self.address = "127.0.0.1:%d" % self.s.getsockname()[1]
        self.s.listen(16)
        self.s.settimeout(LIMIT)

    def accept(self):
        return Asked(self.s.accept()[0])

    def welcome(self, rank=None, first=None, know=True, refuse=None):
        """Lets the next rank in: (the rank, its hello).  first: other members of the first object; know False: without knowing the token."""
        rank, nonce = rank or self.accept(), secrets.token_hex(16)
        rank.send(dict({"event": "controller", "protocol": 1, "version": "test", "nonce": nonce}, **first or {}))
        hello = rank.next()
        if hello and refuse:
            rank.send({"event": "refused", "error": refuse})
        elif hello:
            rank.send({"event": "welcome", "proof": proof(self.token if know else "guess", "controller", nonce, hello["nonce"])})
            rank.known = hello["proof"] == proof(self.token, "rank", nonce, hello["nonce"])
        return rank, hello

    def environment(self, rank, world, **more):
        """What the launcher of a job passes to a rank."""
        path = cdbgtest.environment()["PYTHONPATH"]
        return dict({"CDBG_CONNECT": self.address, "CDBG_TOKEN": self.token, "RANK": str(rank), "WORLD_SIZE": str(world),
                     "LOCAL_RANK": str(rank), "PYTHONPATH": START + os.pathsep + path}, **more)


class Prompt:
    """python -m cdbg --ranks or --listen as a person at a pipe has it."""

    def __init__(self, *options, command=(), env=None):
        words = cdbgtest.argv("-m", "cdbg", *options, *(("--", *command) if command else ()))
        self.proc = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                     env=cdbgtest.environment(env))
        self.text = self.seen = ""

    def listening(self):
        """What a job is started with, as it is printed: {name: value}."""
        while "start the job" not in self.proc.stderr.readline():
            pass
        return dict(self.proc.stderr.readline().strip().split("=", 1) for i in range(3))

    def expect(self, pattern):
        """Waits until this is in what was printed since the last call; the match."""
        while not (m := re.search(pattern, self.text, re.M)):
            if not select.select([self.proc.stdout], [], [], LIMIT)[0]:
                raise cdbgtest.Trouble("%r did not come in %g s; after:\n%s" % (pattern, LIMIT, self.seen + self.text))
            got = os.read(self.proc.stdout.fileno(), 65536).decode("utf-8", "replace")
            if not got:
                raise cdbgtest.Trouble("the end came, not %r; after:\n%s\n%s" % (pattern, self.seen + self.text, self.proc.stderr.read()))
            self.text += got
        self.seen += self.text[:m.end()]
        self.text = self.text[m.end():]
        return m

    def says(self, pattern, name):
        """A fact: this is printed."""
        return cdbgtest.ok(self.expect(pattern), name)

    def send(self, line):
        self.proc.stdin.write(line + "\n")
        self.proc.stdin.flush()

    def ask(self, line, pattern):
        self.send(line)
        return self.expect(pattern)

    def answer(self, *lines):
        """What these lines print, up to the end of the last."""
        for line in lines:
            self.send(line)
        self.send("show ranks-patience")
        before = len(self.seen)
        self.expect(r"^ranks-patience is .*\n")
        return self.seen[before:].rpartition("ranks-patience is")[0]

    def ended(self):
        """No more lines: (status, the rest of the output, standard error)."""
        out, err = self.proc.communicate(timeout=LIMIT)
        return self.proc.returncode, self.text + out, err


class Fake(Peer):
    """A rank that runs nothing: it joins, and says what a test has it say."""

    def __init__(self, env, rank, world, hello=True, token=None, **more):
        where = env["CDBG_CONNECT"]
        if where.startswith("unix:"):
            s = socket.socket(socket.AF_UNIX)
            s.connect(where[5:])
        else:
            host, _, port = where.rpartition(":")
            s = socket.create_connection((host, int(port)))
        super().__init__(s)
        self.answering = None
        self.rank, self.first = rank, self.next()
        if hello:
            self.hello(env["CDBG_TOKEN"] if token is None else token, world, **more)

    def hello(self, token, world, **more):
        nonce = secrets.token_hex(16)
        self.send(dict({"event": "hello", "protocol": 1, "version": "test", "rank": self.rank, "world": world, "local": self.rank, "host": "fake",
                        "pid": 1000 + self.rank, "python": "3.11.7", "torch": None, "restart": 0, "nonce": nonce,
                        "proof": proof(token, "rank", self.first["nonce"], nonce)}, **more))
        self.answer = self.next()
        self.knows = self.answer and self.answer.get("proof") == proof(token, "controller", self.first["nonce"], nonce)
        self.told = self.next() if self.knows else None     # what the controller sets in each rank

    def stop(self, reason="start", function="<module>", file="/p/a.py", line=1, text=None, **more):
        self.send(dict({"event": "stopped", "reason": reason, "thread": 1, "frame": {"function": function, "file": file, "line": line},
                        "text": text or "%s at %s:%d" % (function, file, line)}, **more))

    def reply(self, request, **more):
        self.send(dict({"id": request["id"], "reply": request["command"], "ok": True}, **more))

    def serve(self, **more):
        """Answers the next command; the command."""
        request = self.next()
        self.reply(request, **more)
        return request["command"]

    def obey(self):
        """Answers commands up to one that is no look, of which there may be any number; that command."""
        while (command := self.serve()) == "look":
            pass
        return command

    def stay(self, **looked):
        """Answers all that comes from now on, looks with this."""
        def answer():
            while request := self.next():
                try:
                    self.reply(request, **(looked if request["command"] == "look" else {}))
                except OSError:
                    break
        self.answering = threading.Thread(target=answer)
        self.answering.start()

    def close(self):
        if self.answering:
            try:
                self.s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            self.answering.join()
        super().close()


class Machine:
    """python -m cdbg --ranks --json, with the objects that it sends."""

    def __init__(self, *options, command=(), env=None, fd=None):
        words = cdbgtest.argv("-m", "cdbg", *options, *(("--", *command) if command else ()))
        pipe = {"stdout": subprocess.DEVNULL} if fd else {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.proc = subprocess.Popen(words, stderr=subprocess.PIPE, env=cdbgtest.environment(env), pass_fds=(fd.fileno(),) if fd else (), **pipe)
        self.seen, self.buffer = [], b""

    def next(self):
        """The next object; None at the end."""
        while b"\n" not in self.buffer:
            if not select.select([self.proc.stdout], [], [], LIMIT)[0]:
                raise cdbgtest.Trouble("nothing came in %g s; after:\n%s" % (LIMIT, "\n".join(map(str, self.seen[-20:]))))
            got = os.read(self.proc.stdout.fileno(), 65536)
            if not got:
                return None
            self.buffer += got
        line, _, self.buffer = self.buffer.partition(b"\n")
        self.seen.append(json.loads(line))
        return self.seen[-1]

    def wait(self, **members):
        """The next object that has these members."""
        while (obj := self.next()) is not None and any(obj.get(k) != v for k, v in members.items()):
            pass
        if obj is None:
            raise cdbgtest.Trouble("the end came, not %s; after:\n%s" % (members, "\n".join(map(str, self.seen[-20:]))))
        return obj

    def send(self, line):
        self.proc.stdin.write((line if isinstance(line, str) else json.dumps(line)).encode() + b"\n")
        self.proc.stdin.flush()

    def ask(self, line):
        """The reply to a command."""
        self.send(line)
        return self.wait(reply=line if isinstance(line, str) else line["command"])

    def output(self):
        """What the job has written, with all objects up to the end."""
        while self.next() is not None:
            pass
        return "".join(o["text"] for o in self.seen if o.get("event") == "output")
