# SPDX-License-Identifier: BSD-3-Clause
"""An editor's side of the Debug Adapter Protocol, for tests: every message that comes is checked.

    with Editor() as e:                         # python -m cdbg --dap
        e.launch(script(TEXT), breakpoints={path: [5, 6]})
        stop = e.event("stopped")
        e.ask("next", threadId=1)
"""
import json
import os
import queue
import re
import socket
import subprocess
import threading
import time

import cdbgtest

LIMIT = 60 * cdbgtest.PATIENCE
_validator = None


class Failed(cdbgtest.Trouble):
    """A request that was refused."""


def _shape_of(m):
    """What the protocol asks of each message, as far as it is told without its schema; None: nothing is wrong."""
    if type(m.get("seq")) is not int or m.get("type") not in ("request", "response", "event"):
        return "seq or type"
    if m["type"] == "response" and not (type(m.get("request_seq")) is int and type(m.get("success")) is bool and isinstance(m.get("command"), str)):
        return "request_seq, success or command"
    if m["type"] == "event" and not isinstance(m.get("event"), str):
        return "event"
    if "body" in m and not isinstance(m["body"], dict):
        return "body"
    if m["type"] == "response" and not m["success"] and not isinstance(m.get("message"), str):
        return "message"
    return None


def _schema():
    """Validators by name of a definition, from the protocol's schema that debugpy brings; {} without it."""
    global _validator
    if _validator is None:
        try:
            import debugpy
            import jsonschema
            with open(os.path.join(os.path.dirname(debugpy.__file__), "_vendored/pydevd/_pydevd_bundle/_debug_adapter/debugProtocol.json")) as f:
                schema = json.load(f)
            _validator = {name: jsonschema.Draft4Validator(dict(schema, **{"$ref": "#/definitions/" + name})) for name in schema["definitions"]}
        except (ImportError, OSError):
            _validator = {}
    return _validator


def has_schema():
    return bool(_schema())


def schema_error(m, command):
    """What is wrong with a message: by the schema, where it is there; else by what every message has."""
    why = _shape_of(m)
    if why or not _schema():
        return why
    name = m.get("event") or command or m.get("command") or ""
    name = name[:1].upper() + name[1:] + {"event": "Event", "response": "Response", "request": "Request"}[m["type"]]
    if m["type"] == "response" and not m["success"]:
        name = "ErrorResponse" if "body" in m else "Response"
    check = _schema().get(name) or _schema()[{"event": "Event", "response": "Response", "request": "Request"}[m["type"]]]
    return next(("%s: %s" % (name, e.message) for e in check.iter_errors(m)), None)


class Editor:
    """events, responses: as they came; out, err, console: what `output` events had."""

    def __init__(self, *options, env=None, cwd=None, connect=None, program=None):
        self.seq = 0
        self.wrong = []
        self.expected = 1
        self.events, self.waiting = [], queue.Queue()
        self.answers = {}
        self.commands = {}
        self.requests = []
        self.out = self.err = self.console = ""
        self.stray = ""
        self.proc = self.s = None
        if connect is None:
            words = cdbgtest.argv("-m", "cdbg", "--dap", *options, *(program or ()))
            self.proc = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                         env=cdbgtest.environment(env), cwd=cwd, bufsize=0)
            self.reader, self.writer = self.proc.stdout, self.proc.stdin
            threading.Thread(target=self._read_stray, daemon=True).start()
        else:
            self.s = _connected(connect)
            self.reader, self.writer = self.s.makefile("rb", 0), self.s.makefile("wb", 0)
        threading.Thread(target=self._read, daemon=True).start()

    def _read_stray(self):
        for raw in self.proc.stderr:
            self.stray += raw.decode("utf-8", "replace")

    def _read(self):
        data = b""
        try:
            while part := self.reader.read(65536):
                data += part
                data = self._take_all(data)
        except (OSError, ValueError):
            pass
        self.waiting.put(None)

    def _take_all(self, data):
        while True:
            head, end, rest = data.partition(b"\r\n\r\n")
            if not end:
                return data
            n = int(re.fullmatch(rb"Content-Length: (\d+)", head)[1])
            if len(rest) < n:
                return data
            self._take(json.loads(rest[:n].decode("utf-8")))
            data = rest[n:]

    def _take(self, m):
        if m.get("seq") != self.expected:
            self.wrong.append("seq %r, expected %d" % (m.get("seq"), self.expected))
        self.expected += 1
        why = schema_error(m, self.commands.get(m.get("request_seq")))
        if why:
            self.wrong.append("%s: %s" % (why, json.dumps(m)[:400]))
        if m["type"] == "event" and m["event"] == "output":
            body = m["body"]
            name = {"stdout": "out", "stderr": "err"}.get(body.get("category"), "console")
            setattr(self, name, getattr(self, name) + body["output"])
        self.waiting.put(m)

    def trouble(self, what):
        last = "\n".join(json.dumps(m)[:300] for m in self.events[-12:])
        raise cdbgtest.Trouble("%s; seen last:\n%s\nstandard error:\n%s\nconsole:\n%s" % (what, last, self.stray[-3000:], self.console[-2000:]))

    def next(self):
        try:
            m = self.waiting.get(timeout=LIMIT)
        except queue.Empty:
            self.trouble("nothing in %g s" % LIMIT)
        if m is None:
            self.trouble("the conversation has ended")
        if m["type"] == "response":
            self.answers[m["request_seq"]] = m
        elif m["type"] == "request":
            self.requests.append(m)
        self.events.append(m)
        return m

    def send_raw(self, data):
        self.writer.write(data)

    def message(self, m):
        data = json.dumps(m).encode()
        self.send_raw(b"Content-Length: %d\r\n\r\n" % len(data) + data)

    def send(self, command, /, **arguments):
        self.seq += 1
        self.commands[self.seq] = command
        m = dict(seq=self.seq, type="request", command=command)
        if arguments:
            m["arguments"] = arguments
        self.message(m)
        return self.seq

    def answer(self, seq):
        """The response, whatever it says."""
        while seq not in self.answers:
            self.next()
        return self.answers[seq]

    def cmd(self, command, /, **arguments):
        return self.answer(self.send(command, **arguments))

    def ask(self, command, /, **arguments):
        """The body of a response that must be a success."""
        m = self.cmd(command, **arguments)
        if not m["success"]:
            raise Failed("%s is refused: %s" % (command, m.get("message")))
        return m.get("body", {})

    def error(self, command, /, **arguments):
        m = self.cmd(command, **arguments)
        return None if m["success"] else m["message"]

    def event(self, *names, since=None):
        """The next one of these that was not taken yet; its body has "event", too."""
        while True:
            for m in self.events:
                if m["type"] == "event" and m["event"] in names and not m.get("taken"):
                    m["taken"] = True
                    return dict(m.get("body", {}), event=m["event"])
            self.next()

    def begin(self, how="launch", **arguments):
        """initialize, and launch or attach, up to the event `initialized`."""
        self.capabilities = self.ask("initialize", adapterID="cdbg", clientID="test", linesStartAt1=True, columnsStartAt1=True, pathFormat="path",
                                     supportsRunInTerminalRequest=True)
        self.started = self.send(how, **arguments)
        self.event("initialized")

    def launch(self, program, breakpoints=None, filters=(), **arguments):
        """The whole of it; the answers of setBreakpoints, by path."""
        self.begin("launch", program=program, **arguments)
        return self.configure(breakpoints, filters)

    def configure(self, breakpoints=None, filters=()):
        set_ = {path: self.breakpoints(path, lines) for path, lines in (breakpoints or {}).items()}
        self.ask("setExceptionBreakpoints", filters=list(filters))
        self.ask("configurationDone")
        self.answer(self.started)
        return set_

    def breakpoints(self, path, lines):
        return self.ask("setBreakpoints", source={"path": path}, breakpoints=[b if isinstance(b, dict) else {"line": b} for b in lines])["breakpoints"]

    def frames(self, thread=1, **arguments):
        return self.ask("stackTrace", threadId=thread, **arguments)["stackFrames"]

    def scopes(self, frame):
        return {s["name"]: s["variablesReference"] for s in self.ask("scopes", frameId=frame)["scopes"]}

    def variables(self, reference, **arguments):
        return {v["name"]: v for v in self.ask("variables", variablesReference=reference, **arguments)["variables"]}

    def run_out(self):
        """Up to `terminated`; the exit code."""
        code = None
        while True:
            e = self.event("stopped", "exited", "terminated")
            if e["event"] == "stopped":
                self.ask("continue", threadId=1)
            elif e["event"] == "exited":
                code = e["exitCode"]
            else:
                return code

    def end(self):
        """The process's status."""
        self.writer.close()
        return self.proc.wait(timeout=LIMIT)

    def close(self):
        if self.s:
            self.s.shutdown(socket.SHUT_RDWR) if self.s.fileno() >= 0 else None
            self.s.close()
        if self.proc:
            if not self.writer.closed:
                try:
                    self.writer.close()
                except OSError:
                    pass
            try:
                self.proc.wait(timeout=10 * cdbgtest.PATIENCE)
            except subprocess.TimeoutExpired:
                self.proc.kill()
                self.proc.wait()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


def _connected(where):
    end = time.monotonic() + LIMIT
    while True:
        try:
            if isinstance(where, str):
                s = socket.socket(socket.AF_UNIX)
                s.connect(where)
                return s
            return socket.create_connection(where)
        except (FileNotFoundError, ConnectionRefusedError):
            if time.monotonic() > end:
                raise
            time.sleep(0.01)
