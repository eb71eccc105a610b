# SPDX-License-Identifier: BSD-3-Clause
"""Tests in TAP, and cdbg driven as a program drives it (JSON) or as a person does (a terminal, a pipe).

    from cdbgtest import *

    with Cdbg('''
        def f(n):
            return n + 1
        print(f(1))
    ''') as d:
        d.do("break f")
        is_(d.go()["reason"], "breakpoint", "break FUNC stops in the function")
        is_(d.rows("info locals")[0]["value"], "1", "its argument is shown")
        d.run_out()
        is_(d.out, "2\n", "the program prints what it always prints")
    done()

Environment, all with defaults: CDBG_BUILD (the build tree), CDBG_PYTHON (the interpreter cdbg is built for),
CDBG_WRAP (a command before it), CDBG_PRELOAD (its LD_PRELOAD), CDBG_PATIENCE (multiplies all time limits),
CDBG_TEST_TRACE (a file: both directions of every JSON conversation are appended), CDBG_TEST_FORKS (see forked.py).

Nothing here sleeps: every wait is for an object, a text or an end, and one that does not come in time fails with
what was seen instead.
"""
import fcntl
import json
import os
import queue
import re
import select
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import textwrap
import threading
import time
import traceback

import forked

__all__ = ["Cdbg", "Terminal", "Trouble", "bare", "build", "done", "has", "interpreter", "is_", "like", "line_of",
           "need_inductor", "need_torch", "note", "ok", "python", "run", "script", "skip", "skip_all", "top", "torch_has", "torch_version", "unlike",
           "untimed", "version"]

top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
build = os.path.abspath(os.environ.get("CDBG_BUILD") or os.path.join(top, "build"))
PATIENCE = float(os.environ.get("CDBG_PATIENCE") or 1)

for _signal in signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM:    # nohup and '&' leave some ignored,
    if signal.getsignal(_signal) == signal.SIG_IGN:                              # and what we start would inherit it
        signal.signal(_signal, signal.default_int_handler if _signal == signal.SIGINT else signal.SIG_DFL)


class Trouble(Exception):
    """cdbg did not keep to its interface: hung, died, refused, or wrote something else."""


# ---- TAP ----

_count = _failed = 0
_fact = ""                                      # the last name that does not continue another
_ended = False
_name = os.path.basename(sys.argv[0] or "test")


def note(text):
    for line in str(text).splitlines():
        print("# " + line, flush=True)


def whole_name(name):
    """The name of a fact: one that begins with "... " continues the last that does not, so that each line reads alone."""
    global _fact
    if name.startswith("... "):
        return (_fact + " " + name).replace("#", "\\#")
    _fact = name
    return name.replace("#", "\\#")


def ok(holds, name, why=None):
    """One fact.  why: text, or a function that gives it, shown when it does not hold."""
    global _count, _failed
    _count += 1
    print("%s %d - %s" % ("ok" if holds else "not ok", _count, whole_name(name)), flush=True)
    if not holds:
        _failed += 1
        caller = sys._getframe(1)
        while caller.f_code.co_filename == __file__ and caller.f_back:
            caller = caller.f_back
        note("  at line %d of %s" % (caller.f_lineno, _name))
        if callable(why):
            why = why()
        if why is not None:
            note(textwrap.indent(str(why), "  "))
    return bool(holds)


def is_(got, want, name):
    return ok(got == want, name, lambda: "got:      %s\nexpected: %s" % (_short(got), _short(want)))


def like(text, pattern, name):
    return ok(re.search(pattern, text or "", re.M), name,
              lambda: "no match for %r in:\n%s" % (pattern, _short_text(text)))


def unlike(text, pattern, name):
    return ok(not re.search(pattern, text or "", re.M), name, lambda: "%r is in:\n%s" % (pattern, _short_text(text)))


def skip(name, why):
    global _count
    _count += 1
    print("ok %d - %s # SKIP %s" % (_count, whole_name(name), why), flush=True)


def skip_all(why):
    global _ended
    _ended = True
    print("1..0 # SKIP " + why, flush=True)
    sys.exit(0)


def done():
    """The plan; ends the script."""
    global _ended
    _ended = True
    print("1..%d" % _count, flush=True)
    sys.exit(1 if _failed else 0)


def _uncaught(kind, value, tb):
    """Trouble ends a script as one more failed test with what was seen."""
    global _ended
    ok(False, "the script runs to its end", "".join(traceback.format_exception(kind, value, tb)))
    print("1..%d" % _count, flush=True)
    _ended = True


def _short(value, n=1500):
    text = value if isinstance(value, str) and "\n" in value else repr(value)
    return text if len(text) <= n else text[:n] + "..."


def _short_text(text, n=4000):
    text = str(text)
    return text if len(text) <= n else text[:n] + "..."


sys.excepthook = _uncaught


# ---- the interpreter and the programs ----

def interpreter():
    """The Python that cdbg is built for."""
    if os.environ.get("CDBG_PYTHON"):
        return os.environ["CDBG_PYTHON"]
    try:
        with open(os.path.join(build, "Makefile")) as f:
            return re.search(r"^PYTHON = (.+)$", f.read(), re.M).group(1)
    except (OSError, AttributeError):
        skip_all("no build in %s: make one, or name it with CDBG_BUILD" % build)


def version():
    """(3, 11) and so on: of the interpreter that cdbg is built for."""
    out = subprocess.run([interpreter(), "-c", "import sys; print(*sys.version_info[:2])"], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE).stdout
    return tuple(int(n) for n in out.split())


def environment(extra=None):
    env = dict(os.environ)
    for name in ("PYTHONBREAKPOINT", "RANK", "CDBG_RANK", "PYTHONINSPECT", "PYTHONSTARTUP", "NO_COLOR", "CI"):
        env.pop(name, None)
    # No rc file and no history of the person who runs the tests; tracebacks without colours (3.13).
    # What inductor compiled once, and cdbg's notes of it, which go with it, serve all tests of the user.
    cache = "/tmp/cdbg-tests-%d" % os.getuid()
    env.update(PYTHONPATH=os.path.join(build, "inplace"), HOME=_home(), TERM="dumb", COLUMNS="80", LINES="24",
               XDG_CACHE_HOME=cache, LC_ALL="C.UTF-8", PYTHON_COLORS="0", PYTHONWARNINGS="ignore:Failed to initialize NumPy")
    env.setdefault("TORCHINDUCTOR_CACHE_DIR", cache + "/inductor")
    # Inductor takes the vectors that the processor names without compiling a program to try them, in each process anew.
    env.setdefault("TORCHINDUCTOR_VEC_ISA_OK", "1")
    if os.environ.get("CDBG_PRELOAD"):
        env["LD_PRELOAD"] = os.environ["CDBG_PRELOAD"]
    env.update(extra or {})
    return env


def argv(*args):
    return shlex.split(os.environ.get("CDBG_WRAP") or "") + [interpreter()] + list(args)


def _terminal():
    """In a child: its standard input is the terminal of its session."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def start(words, env, cwd=None, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, terminal=False):
    """A subprocess.Popen, or what is used as one.  terminal: stdin, a terminal, is that of a session of its own."""
    if _imported and "CDBG_TEST_FORKS" in os.environ and words[0] == interpreter() and forked.can_be(words, env, environment()):
        return forked.Forked(words, env, cwd, stdin, stdout, stderr, terminal)
    return subprocess.Popen(words, stdin=stdin, stdout=stdout, stderr=stderr, env=env, cwd=cwd, start_new_session=terminal,
                            preexec_fn=_terminal if terminal else None)


_dirs = []


def _folder():
    _dirs.append(tempfile.mkdtemp(prefix="cdbg-test-"))
    return _dirs[-1]


def _home():
    if not _dirs:
        _folder()
    return _dirs[0]


def script(text, name="prog.py", folder=None):
    """Write a program (dedented) to a folder of its own; its path."""
    folder = folder or _folder()
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(textwrap.dedent(text).lstrip("\n"))
    return path


def _program(program):
    """A path as it is, a text written to a file."""
    return script(program) if "\n" in program else program


def line_of(path, text):
    """Number of the only line of a file that holds this text."""
    with open(path) as f:
        found = [k for k, line in enumerate(f, 1) if text in line]
    if len(found) != 1:
        raise Trouble("'%s' is on lines %s of %s" % (text, found, path))
    return found[0]


def has(module):
    """The interpreter that cdbg is built for has a module."""
    return subprocess.run([interpreter(), "-c", "import importlib.util as u, sys; sys.exit(not u.find_spec(%r))" % module],
                          stdin=subprocess.DEVNULL).returncode == 0


_imported = False       # what is started may have imported torch before


def need_torch(imported=True):
    """imported: programs may begin with torch imported, which saves seconds each; not where they watch how it is."""
    global _imported
    if not has("torch"):
        skip_all("%s has no torch" % interpreter())
    _imported = imported


def need_inductor():
    need_torch()
    if not shutil.which("g++"):
        skip_all("no g++: inductor cannot compile")


def torch_version():
    """(2, 13) and so on; None without torch."""
    out = subprocess.run([interpreter(), "-c", "from importlib.metadata import version; print(version('torch'))"],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return tuple(int(n) for n in out.decode().split(".")[:2]) if out else None


_has = {}


def torch_has(name):
    """torch has this attribute of one of its modules: torch_has("torch._dynamo.config.recompile_limit")."""
    if name not in _has:
        _has[name] = not subprocess.run([interpreter(), "-c", """if 1:
            import pkgutil, sys
            try:
                pkgutil.resolve_name(sys.argv[1])
            except (AttributeError, ImportError):
                sys.exit(1)""", name], stdin=subprocess.DEVNULL, env=environment()).returncode
    return _has[name]


def _finish(proc, data, limit):
    try:
        out, err = proc.communicate(data, timeout=limit * PATIENCE)
    except subprocess.TimeoutExpired:
        proc.kill()
        out, err = proc.communicate()
        raise Trouble("not ended after %g s; standard output:\n%s\nstandard error:\n%s"
                      % (limit * PATIENCE, _text(out)[-3000:], _text(err)[-3000:]))
    return proc.returncode, _text(out), _text(err)


def _text(raw):
    return (raw or b"").decode("utf-8", "replace")


def bare(program, *args, env=None, input="", limit=120):
    """The program without cdbg: (status, stdout, stderr)."""
    done = python(_program(program), *args, env=env, input=input, limit=limit)
    return done.returncode, done.stdout, done.stderr


def python(*words, env=None, input="", limit=120, cwd=None):
    """The interpreter that cdbg is built for with these arguments, a program or -m MODULE first: a subprocess.CompletedProcess of texts."""
    proc = start(argv(*words), environment(env), cwd)
    return subprocess.CompletedProcess(proc.args, *_finish(proc, input.encode(), limit))


def untimed(text):
    """What torch logs without the times and process numbers in its lines."""
    return re.sub(r"(?m)^([VIWEC])\d{4} [\d:.]+ \d+ ", r"\1 ", text)


def run(program, *args, options=(), commands=(), input=None, env=None, limit=120, cwd=None):
    """The program under the plain front end to its end, commands on standard input: (status, stdout, stderr).

    input: the whole of standard input instead of commands.  program None: options alone."""
    data = "".join(c + "\n" for c in commands) if input is None else input
    words = list(options) + ([_program(program)] if program else []) + list(args)
    proc = start(argv("-m", "cdbg", *words), environment(env), cwd)
    return _finish(proc, data.encode(), limit)


# ---- JSON ----

class Cdbg:
    """One program under `python -m cdbg --json`, as a context manager.

    program   text of a program (written to a folder of its own), or a path; path is then its path
    .stop     the last stopped or exited object
    .out .err what the program wrote; .logged by logpoints; .notes; .stops; .exited
    """

    def __init__(self, program, *args, options=(), env=None, limit=120, name="prog.py", cwd=None):
        self.path = script(program, name) if "\n" in program else program
        self.limit = limit * PATIENCE
        self.notes, self.stops, self.logged, self.seen = [], [], [], []
        self.out = self.err = self.stray = ""
        self.stop = self.exited = None
        self.trace = os.environ.get("CDBG_TEST_TRACE")
        self.lines = queue.Queue()
        self.proc = start(argv("-m", "cdbg", "--json", *options, self.path, *args), environment(env), cwd)
        threading.Thread(target=self._read, daemon=True).start()
        self.reader = threading.Thread(target=self._read_stray, daemon=True)
        self.reader.start()
        try:
            self.ready = self.next()
            if self.ready.get("event") != "ready":
                self.trouble("the first object is not ready")
            self.wait()
        except BaseException:
            self.close()
            raise

    def _read(self):
        for raw in self.proc.stdout:
            self.lines.put(raw)
        self.lines.put(None)

    def _read_stray(self):
        for raw in self.proc.stderr:
            self.stray += _text(raw)

    def trouble(self, what):
        seen = "\n".join(self.seen[-25:])
        raise Trouble("%s; seen last:\n%s\nstandard error of cdbg:\n%s" % (what, seen, self.stray[-3000:]))

    def _log(self, text):
        self.seen.append(text if len(text) < 600 else text[:600] + "...")
        if self.trace:
            with open(self.trace, "a") as f:
                f.write(text + "\n")

    def next(self):
        """The next object, noted in .stop, .out and so on."""
        try:
            raw = self.lines.get(timeout=self.limit)
        except queue.Empty:
            self.trouble("nothing in %g s" % self.limit)
        if raw is None:
            self.reader.join(self.limit)
            self.trouble("cdbg ended with status %s" % self.proc.wait())
        try:
            text = raw.decode("utf-8").rstrip("\n")
            self._log("< " + text)
            obj = json.loads(text)
        except ValueError:
            self.trouble("not JSON on standard output: %r" % raw[:300])
        if not isinstance(obj, dict):
            self.trouble("not an object: %r" % raw[:300])
        event = obj.get("event")
        if event == "output" and obj["stream"] == "stderr":
            self.err += obj["text"]
        elif event == "output" and obj["stream"] == "log":
            self.logged.append(obj)
        elif event == "output":
            self.out += obj["text"]
        elif event == "note":
            self.notes.append(obj)
        elif event in ("stopped", "exited"):
            self.stop = obj
            self.stops.append(obj)
            self.exited = obj if event == "exited" else None
        return obj

    def wait(self):
        """The next stop, or the end."""
        while True:
            obj = self.next()
            if obj.get("event") in ("stopped", "exited"):
                return obj

    def send(self, line):
        """A command, its answer not waited for (`interrupt` while the program runs)."""
        self._log("> " + line)
        try:
            self.proc.stdin.write((line + "\n").encode())
            self.proc.stdin.flush()
        except (BrokenPipeError, ValueError):
            self.trouble("cdbg closed its input before '%s'" % line)

    def answer(self, line):
        while True:
            obj = self.next()
            if "reply" in obj:
                if obj["reply"] != line:
                    self.trouble("the reply is to %r, the command was %r" % (obj["reply"], line))
                return obj

    def cmd(self, line):
        """One command; its reply object, whatever it says."""
        self.send(line)
        return self.answer(line)

    def do(self, line):
        """The same; a refusal is Trouble."""
        reply = self.cmd(line)
        if reply.get("ok") is not True:
            self.trouble("'%s' is refused: %s" % (line, reply.get("error")))
        return reply

    def error(self, line):
        """The words of a refusal; None when the command was taken."""
        reply = self.cmd(line)
        return None if reply.get("ok") else reply.get("error")

    def go(self, line="continue"):
        """A command that resumes; the stop or end that follows."""
        self.do(line)
        return self.wait()

    def rows(self, line):
        reply = self.do(line)
        if not isinstance(reply.get("rows"), list):
            self.trouble("'%s' gives no rows" % line)
        return reply["rows"]

    def text(self, line):
        return self.do(line).get("text", "")

    def run_out(self, most=1000):
        """Continue over whatever stops to the program's end; the exited object."""
        while not self.exited:
            self.go()
            most -= 1
            if not most:
                self.trouble("still stopping")
        return self.exited

    @property
    def frame(self):
        return (self.stop or {}).get("frame") or {}

    @property
    def reason(self):
        return (self.stop or {}).get("reason")

    def line_of(self, text):
        return line_of(self.path, text)

    def interrupt(self):
        """Ctrl-C, as a terminal sends it."""
        self.proc.send_signal(signal.SIGINT)

    def end_input(self):
        self.proc.stdin.close()

    def close(self):
        """quit; kills what does not.  The process's status."""
        try:
            if self.proc.poll() is None and not self.proc.stdin.closed:
                self.proc.stdin.write(b"quit\n")
                self.proc.stdin.close()
            self.proc.wait(timeout=20 * PATIENCE)
        except (OSError, ValueError, subprocess.TimeoutExpired):
            self.proc.kill()
        return self.proc.wait()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


# ---- a terminal ----

def kill(proc):
    """Ends a process. For `make coverage` it writes its counts first: gcov_exit.c."""
    if "gcov_exit" in os.environ.get("CDBG_PRELOAD", ""):
        proc.send_signal(signal.SIGRTMAX)
        try:
            proc.wait(10)
            return
        except subprocess.TimeoutExpired:
            pass
    proc.kill()
    proc.wait()


class Terminal:
    """A command on a pseudo terminal, as a person has it, as a context manager.

    The default command is the plain front end on a program.  .text is all that came so far."""

    def __init__(self, program, *args, options=("--plain",), command=None, env=None, limit=60, size=(24, 80), cwd=None):
        self.path = _program(program) if program else None
        self.limit = limit * PATIENCE
        self.text = ""
        self.mark = 0
        self.status = None
        words = command or argv("-m", "cdbg", *options, *([self.path] if self.path else []), *args)
        env = environment(dict({"TERM": "vt100"}, **(env or {})))
        env.pop("COLUMNS"), env.pop("LINES")
        self.fd, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[0], size[1], 0, 0))
        self.proc = start(words, env, cwd, slave, slave, slave, terminal=True)
        self.pid = self.proc.pid
        os.close(slave)

    def expect(self, pattern):
        """Wait for a text after the last one that was waited for; the match."""
        end = time.monotonic() + self.limit
        while True:
            found = re.compile(pattern, re.M).search(self.text, self.mark)
            if found:
                self.mark = found.end()
                return found
            if not self._more(end - time.monotonic()):
                raise Trouble("no %r; the terminal shows:\n%s" % (pattern, self.text[-3000:]))

    def _more(self, seconds):
        if seconds <= 0 or not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            raw = os.read(self.fd, 65536)
        except OSError:
            raw = b""
        self.text += _text(raw).replace("\r\n", "\n")
        return bool(raw)

    def send(self, text):
        os.write(self.fd, text.encode())

    def line(self, text):
        self.send(text + "\n")

    def ended(self):
        """Wait for the end; the exit status (negative: the signal)."""
        end = time.monotonic() + self.limit
        while self._more(end - time.monotonic()):
            pass
        try:
            self.status = self.proc.wait(max(0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise Trouble("not ended; the terminal shows:\n%s" % self.text[-3000:]) from None
        return self.status

    def hang_up(self):
        """The terminal hangs up."""
        os.close(self.fd)
        self.fd = None

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        if self.fd is not None:
            os.close(self.fd)
        if self.status is None:
            kill(self.proc)


def _at_exit():
    for d in _dirs:
        shutil.rmtree(d, ignore_errors=True)
    if _count and not _ended:
        print("Bail out! the script did not call done()", flush=True)


import atexit  # noqa: E402

atexit.register(_at_exit)
