# SPDX-License-Identifier: BSD-3-Clause
"""Both sides of the conversation between a controller and its ranks, for tests: see ui/ranks/handshake.h."""
import hashlib
import hmac
import json
import os
import secrets
import socket

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
