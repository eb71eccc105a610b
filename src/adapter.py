# SPDX-License-Identifier: BSD-3-Clause
"""python -m cdbg --dap without a program: an editor says on standard input what to run or where to attach.

What is launched without a terminal replaces this process, and talks to the editor itself.  Between the editor and a program
in a terminal, or one that listens, this process copies messages.
"""
import json
import os
import re
import select
import socket
import struct
import sys
import time

from . import _cdbg

MOST = 16 << 20         # bytes of a message
START_SECONDS = 60      # for a program in a terminal to listen


class Refused(Exception):
    """What the editor wants cannot be done; the text says why."""


def framed(body):
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def first_of(data):
    """The body of the first message, or None where it is not there whole; and what follows."""
    head, end, more = data.partition(b"\r\n\r\n")
    length = re.search(rb"(?im)^content-length:[ \t]*(\d{1,9})[ \t]*\r?$", head) if end else None
    if end and not length:
        raise Refused("a message without Content-Length")
    if length and len(more) >= int(length[1]):
        return more[:int(length[1])], more[int(length[1]):]
    if length and int(length[1]) > MOST:
        raise Refused("a message of more than %d bytes" % MOST)
    return None, data


def parsed(body):
    """A message; None: it is none."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None
    proper = isinstance(message, dict) and message.get("type") in ("request", "response") and type(message.get("seq")) is int
    return message if proper else None


class Messages:
    """Those that come from a descriptor; rest: bytes that were read and not taken."""

    def __init__(self, fd):
        self.fd = fd
        self.rest = b""

    def take(self):
        """The body of a message that is there whole; else None."""
        body, self.rest = first_of(self.rest)
        return body

    def waiting(self):
        """Those that are there whole; they stay."""
        body, rest = first_of(self.rest)
        while body is not None:
            if message := parsed(body):
                yield message
            body, rest = first_of(rest)

    def read(self):
        """False at the end."""
        data = os.read(self.fd, 65536)
        self.rest += data
        return bool(data)

    def next(self):
        """Waits for it; None at the end."""
        while (body := self.take()) is None:
            if not self.read():
                return None
        return body


class Editor:
    def __init__(self):
        self.input = Messages(0)
        self.sent = 0
        self.initialize = None      # its request, as it came

    def send(self, message):
        self.sent += 1
        write_all(1, framed(json.dumps(dict(seq=self.sent, **message)).encode()))

    def respond(self, request, body=None):
        response = dict(type="response", request_seq=request["seq"], success=True, command=request["command"])
        self.send(dict(response, body=body) if body is not None else response)

    def refuse(self, request, text):
        self.send(dict(type="response", request_seq=request.get("seq", 0), success=False, command=request.get("command", ""), message=text,
                       body={"error": {"id": 1, "format": text, "showUser": True}}))

    def request(self):
        """The next one, as it came and as a dict; (None, None) at the end.  Others are left out."""
        while (body := self.input.next()) is not None:
            if message := parsed(body):
                return body, message
        return None, None

    def leaves(self):
        """Has it gone, or asked to?  That request is answered later."""
        if not select.select([0], [], [], 0)[0]:
            return False
        return not self.input.read() or any(m.get("command") in ("disconnect", "terminate") for m in self.input.waiting())


def write_all(fd, data):
    while data:
        data = data[os.write(fd, data):]


def arguments_of(request):
    """Those of a request, which may leave them out, or say null."""
    given = request.get("arguments")
    if given is not None and not isinstance(given, dict):
        raise Refused("\"arguments\" is not an object")
    return given or {}


# ---- launch ----

def words(value, what):
    if isinstance(value, str):
        return [value]
    if isinstance(value, list) and all(isinstance(w, str) for w in value):
        return value
    raise Refused("%s: expected a text or a list of texts" % what)


def command(config, *options):
    """The command line of a launch."""
    python = words(config.get("python") or sys.executable, "python")
    program, module = config.get("program"), config.get("module")
    if not isinstance(program or module, str):
        raise Refused("launch needs a \"program\", the path of a script, or a \"module\"")
    line = python + ["-m", "cdbg", "-q"] + list(options)
    for each in words(config.get("commands") or [], "commands"):
        line += ["-ex", each]
    line += ["-m", module] if module and not program else ["./" + program if program.startswith("-") else program]
    return line + words(config.get("args") or [], "args")


def environment(config):
    env = dict(os.environ)
    given = config.get("env") or {}
    if not isinstance(given, dict):
        raise Refused("env: expected an object of texts; null removes a name")
    for name, value in given.items():
        if value is None:
            env.pop(name, None)
        else:
            env[name] = str(value)
    return env


def become(editor, config, launch):
    """The program, in place of this process."""
    given = os.memfd_create("cdbg", 0)
    marked = b'{"cdbgAnswered":true,' + editor.initialize.lstrip()[1:]
    write_all(given, framed(marked) + framed(launch) + editor.input.rest)
    os.lseek(given, 0, os.SEEK_SET)
    line = command(config, "--dap", "--dap-sent=%d" % editor.sent, "--dap-given=%d" % given)
    env = environment(config)
    try:
        if config.get("cwd"):
            os.chdir(config["cwd"])
        os.execvpe(line[0], line, env)
    except (OSError, TypeError, ValueError) as e:
        raise Refused("cannot start %r: %s" % (line[0], e))


def in_terminal(editor, config):
    """Asks the editor to run the program in its terminal; a socket to it."""
    import tempfile
    if not arguments_of(json.loads(editor.initialize)).get("supportsRunInTerminalRequest"):
        raise Refused("this editor has no terminal for programs: use \"console\": \"internalConsole\"")
    folder = tempfile.mkdtemp(prefix="cdbg-")
    where = os.path.join(folder, "dap.sock")
    env = config.get("env") or {}
    environment(config)
    arguments = dict(kind="external" if config["console"] == "externalTerminal" else "integrated", title="cdbg",
                     cwd=config.get("cwd") or os.getcwd(), args=command(config, "--dap-terminal", "--dap=unix:" + where))
    if env:
        arguments["env"] = {name: None if value is None else str(value) for name, value in env.items()}
    editor.send(dict(type="request", command="runInTerminal", arguments=arguments))
    try:
        return socket_of_terminal(editor, where)
    finally:        # the connection needs no name
        for remove, name in ((os.unlink, where), (os.rmdir, folder)):
            try:
                remove(name)
            except FileNotFoundError:
                pass


def socket_of_terminal(editor, where):
    """When the editor has started the program, and that listens."""
    answer = {}
    while answer.get("type") != "response" or answer.get("command") != "runInTerminal":
        answer = editor.request()[1]
        if answer is None:
            raise SystemExit(0)
    if not answer.get("success"):
        raise Refused("the editor did not run the program in a terminal: %s" % answer.get("message"))
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        try:
            return connected("unix:" + where)
        except Refused:
            time.sleep(0.02)
    raise Refused("the program did not listen within %d s: what it wrote is in its terminal" % START_SECONDS)


# ---- attach ----

def check_listener(s, address):
    """The user, or root, listens there: another one could have made a socket of that name, to read what the editor sends."""
    user = struct.unpack("3i", s.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))[1]
    if user not in (os.geteuid(), 0):
        s.close()
        raise Refused("another user, %d, listens on %s: connect to a socket in a folder of your own" % (user, address))


def connected(address):
    """A socket to a program that listens there."""
    try:
        if address.startswith("unix:"):
            s = socket.socket(socket.AF_UNIX)
            s.connect(address[len("unix:"):])
            check_listener(s, address)
            return s
        host, colon, port = address.rpartition(":")
        if not colon or not port.isdigit():
            raise Refused("connect: expected unix:PATH or HOST:PORT")
        return socket.create_connection((host.strip("[]") or "127.0.0.1", int(port)))
    except OSError as e:
        raise Refused("cannot connect to %s: %s" % (address, e))


def address_of(config):
    where = config.get("connect")
    if isinstance(where, dict):
        where = "%s:%s" % (where.get("host", "127.0.0.1"), where.get("port", ""))
    if not isinstance(where, str):
        raise Refused("attach needs \"processId\", or \"connect\": \"unix:PATH\" or \"HOST:PORT\", where the program listens")
    return where


def attached(editor, config):
    """A socket to the program that the editor names."""
    def gives_up(why):
        if why:
            editor.send(dict(type="event", event="output", body={"category": "important", "output": "cdbg: %s; disconnecting gives up\n" % why}))
        return editor.leaves()

    if "connect" in config or not config.get("processId"):
        return connected(address_of(config))
    try:
        pid = int(config["processId"])
    except (TypeError, ValueError, OverflowError):
        raise Refused("processId: expected the number of a process, not %r" % (config["processId"],)) from None
    try:
        return socket.socket(fileno=_cdbg.attach(pid, "--dap", gives_up))
    except (RuntimeError, OverflowError) as e:
        raise Refused(str(e)) from None


def copy(editor, program, first):
    """Messages between both until one ends.  The program answers `initialize`, too: that is left out, and seq goes on."""
    reply = Messages(program.fileno())
    answered = False
    program.sendall(framed(editor.initialize) + framed(first) + editor.input.rest)
    while True:
        ready = select.select([0, program], [], [])[0]
        if 0 in ready:
            data = os.read(0, 65536)
            if not data:
                return
            program.sendall(data)
        if program not in ready:
            continue
        more = reply.read()
        while (body := reply.take()) is not None:
            if not answered and b'"command":"initialize"' in body[:200]:
                answered = True
                continue
            editor.sent += 1
            write_all(1, framed(re.sub(rb'^\{"seq":\d+', b'{"seq":%d' % editor.sent, body)))
        if not more:
            return


def start(editor, body, request):
    """launch or attach."""
    config = arguments_of(request)
    if editor.initialize is None:
        raise Refused("%s comes after initialize" % request["command"])
    if request["command"] == "attach":
        program = attached(editor, config)
        config.pop("processId", None)       # the program is that process
        body = json.dumps(request).encode()
    elif config.get("console") in ("integratedTerminal", "externalTerminal"):
        program = in_terminal(editor, config)
    else:
        become(editor, config, body)
    try:
        copy(editor, program, body)
    except (BrokenPipeError, ConnectionResetError):     # one of them has gone
        pass
    program.close()
    return True


def serve_one(editor, body, request):
    """True: the session is over."""
    name = request.get("command")
    if request["type"] != "request":
        return False
    try:
        if name == "initialize" and editor.initialize is None:
            editor.initialize = body
            editor.respond(request, json.loads(_cdbg.capabilities()))
        elif name in ("launch", "attach"):
            return start(editor, body, request)
        elif name == "disconnect":
            editor.respond(request)
            return True
        else:
            raise Refused("%s comes after launch or attach" % name)
    except Refused as e:
        editor.refuse(request, str(e))
    return False


def main():
    editor = Editor()
    try:
        while True:
            body, request = editor.request()
            if request is None or serve_one(editor, body, request):
                return 0
    except (Refused, BrokenPipeError) as e:
        print("cdbg: %s" % e, file=sys.stderr)
        return 1
