#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run programs without cdbg and with it in several ways, and compare what comes out: stdout, stderr, exit status.

    soak.py                      every program of tests/soak/programs and of tests/cases
    soak.py --short              a few of them, for each change
    soak.py -w step FILE...      these programs, by this way
    soak.py --suite test_gc ...  tests of the interpreter's own suite (python -m test), named
    soak.py --random 50 --seed 7 only random commands at 50 random stops: random_reading.py
    soak.py --attach 1000        only attach to running programs and leave them, so many times: attaching_soak.py
    soak.py --pytest FILE...     test files under pytest; the outcomes of the tests are compared, one by one

Ways: continue; catch (every catchpoint); step; stepi; break (on every line, with views at the stops); for programs of tests/cases
also read (every command that only reads, at several stops, and what it changes in the process: reading.py).  A program that
says "# needs: PACKAGE, PACKAGE" or "# needs-python: 3.12" in its first lines is skipped where that is absent.  The status is 1 when there is a difference.
"""
import argparse
import fcntl
import glob
import json
import os
import re
import resource
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import reading

here = os.path.dirname(os.path.abspath(__file__))
cases = os.path.join(os.path.dirname(here), "cases")
WAYS = ["continue", "catch", "step", "stepi", "break", "read"]
SHORT_CASES = ["watch_inside", "length_once", "stale_backward"]     # by way read only
SHORT = ["fork_return", "mp_fork", "signal_handlers", "die_segv", "exit_atexit", "exit_daemon_threads", "uncaught_chain",
         "recursion", "descriptors_closed", "asyncio_all", "settrace", "hostile_reprs", "weakrefs", "exec_eval"]
CATCH = ["exception", "graph-break", "compile", "resume", "skip", "recompile", "guard-fail", "limit"]
STOPS = {"continue": 200, "catch": 400, "step": 1500, "stepi": 1500, "break": 600, "read": 60}
VIEWS = ["bt", "info locals", "info stack", "info frame", "info threads"]
PATIENCE = 10  # a run may take so many times as long as the run without cdbg took on this machine now
INPUT = b"first line\nsecond line\nthird\nlast\n"
NORMAL = [(rb"0x[0-9a-f]{4,}", b"0xADDRESS"), (rb"\bin \d+\.\d+s?\b", b"in TIME"), (rb"\d+\.\d+ ?(sec|ms|s)\b", b"TIME"),
          (rb"/tmp/tmp\w{8}", b"/tmp/TMP"), (rb"test_python_\w+", b"test_python"), (rb"load avg: [\d.]+", b"load avg"),
          (rb"\d+ min \d+ sec", b"TIME"),
          (rb"\d:\d\d:\d\d ", b"TIME "), (rb"(?m)^test_\w+ passed in TIME.*\n", b""),
          (rb"random seed: \d+", b"random seed"), (rb"(?m)^Total duration: .*$", b"Total duration"), (rb"pid=\d+", b"pid=PID"),
          (rb"(?m)^((?:\[rank\d+\]:)?[A-Z]\d{4}) [\d:.]+ \d+ ", rb"\1 TIME PID "), (rb"(?m)^USDT:.* (\w+)$", rb"USDT: \1"),
          (rb"\bprocess \d+", b"process PID")]


class Talk:
    """The machine interface over a socket, until the program is gone or the time is up."""

    def __init__(self, sock, way, script, deadline, args):
        self.sock, self.way, self.script, self.deadline, self.read_for = sock, way, script, deadline, args.read
        self.most = args.stops or STOPS[way]
        self.rest, self.stops, self.seen = b"", 0, set()
        self.problem = None
        self.reading = reading.Reading(self.ask, script) if way == "read" else None

    def send(self, line):
        try:
            self.sock.sendall(line.encode() + b"\n")
        except OSError:
            pass

    def receive(self):
        """The next object; None when there will be none."""
        while b"\n" not in self.rest:
            left = self.deadline - time.monotonic()
            if left <= 0 or not select.select([self.sock], [], [], left)[0]:
                return None
            try:
                more = self.sock.recv(65536)
            except OSError:
                more = b""
            if not more:
                return None
            self.rest += more
        line, self.rest = self.rest.split(b"\n", 1)
        try:
            return json.loads(line)
        except ValueError:
            self.problem = "no JSON: %r" % line[:100]
            return None

    def ask(self, line):
        """Its reply; what else comes meanwhile is read over."""
        self.send(line)
        while True:
            o = self.receive()
            if o is None or "reply" in o:
                return o

    def prepare(self):
        """At the first stop."""
        if self.reading:
            self.reading.start(self.read_for)
        elif self.way == "catch":
            for kind in CATCH:
                self.ask("catch " + kind)
        elif self.way == "break":
            with open(self.script, encoding="utf-8", errors="replace") as f:
                lines = f.read().split("\n")
            step = max(1, len(lines) // 150)
            for n, line in list(enumerate(lines, 1))[::step]:
                if line.strip() and not line.lstrip().startswith("#"):
                    self.ask("break %s:%d" % (self.script, n))

    def at_stop(self, stop):
        if self.stops == 0:
            self.ask("set confirm off")
            self.prepare()
        self.stops += 1
        if self.stops == self.most:
            self.ask("delete")
        if self.stops >= self.most or stop.get("dead"):
            self.send("continue")
            return
        if self.way == "break" and self.stops % 7 == 1:
            for view in VIEWS:
                self.ask(view)
        if self.reading and self.stops > 1:
            self.reading.at_stop(stop)
            self.problem = "\n        ".join(self.reading.problems) or self.problem
        self.send(self.way if self.way in ("step", "stepi") else "continue")

    def run(self):
        while True:
            o = self.receive()
            if o is None:
                return
            event = o.get("event")
            if event == "stopped":
                self.at_stop(o)
            elif o.get("ok") is False and o["reply"] in ("step", "stepi"):
                self.send("continue")
            elif event == "exited":
                self.send("quit")
            elif event == "note" and "cdbg: bug at" in str(o.get("text")):
                self.problem = o["text"]


def normal(data, args):
    for pattern, to in NORMAL:
        data = re.sub(pattern, to, data)
    for pattern in args.ignore:
        data = re.sub(b"(?m)^.*" + pattern.encode() + b".*\n", b"", data)
    return data


def finish(p):
    """No process of the program is left."""
    try:
        os.killpg(p.pid, signal.SIGKILL)
    except OSError:
        pass


def conversation():
    """A socket for us, and a descriptor for cdbg with a number that no program uses."""
    ours, theirs = socket.socketpair()
    high = min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 4096) - 8
    fd = fcntl.fcntl(theirs, fcntl.F_DUPFD_CLOEXEC, high)
    theirs.close()
    return ours, fd


def run(args, target, way, script=None, more_env=(), limit=None):
    """script: where breakpoints are set; limit: seconds, args.time by default.  (stdout, stderr, status, stops, problem); status
    "timeout" when the time was up."""
    folder = tempfile.mkdtemp(prefix="soak-")
    env = dict(os.environ, PYTHONPATH=args.inplace, HOME=folder, PYTHONHASHSEED="0", PYTHONDONTWRITEBYTECODE="1", PWD=folder,
               **dict(more_env))
    env.pop("PYTHONBREAKPOINT", None)
    command, ours, theirs, talk, status = [args.python], None, None, None, None
    if way:
        ours, theirs = conversation()
        command += ["-m", "cdbg", "-q", "-nx", "--json=%d" % theirs]
    with open(folder + "/in", "wb") as f:
        f.write(INPUT)
    deadline = time.monotonic() + (limit or args.time)
    with open(folder + "/in", "rb") as i, open(folder + "/out", "wb") as out, open(folder + "/err", "wb") as err:
        p = subprocess.Popen(command + target, stdin=i, stdout=out, stderr=err, cwd=folder, env=env, start_new_session=True,
                             pass_fds=[theirs] if theirs else [])
        if theirs:
            os.close(theirs)
            talk = Talk(ours, way, script or target[0], deadline, args)
            talk.run()
            ours.close()
        try:
            status = p.wait(max(1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            status = "timeout"
        finish(p)
        p.wait()
    data = [open(folder + name, "rb").read() for name in ("/out", "/err")]
    data = [normal(d.replace(folder.encode(), b"FOLDER"), args) for d in data]
    shutil.rmtree(folder, ignore_errors=True)
    stops = "%d stops" % talk.stops if talk else ""
    if talk and talk.reading:
        stops += ", %d commands at %d of them" % (talk.reading.commands, len(talk.reading.stops))
    return data[0], data[1], status, stops, talk.problem if talk else None


def first_difference(a, b):
    for x, y in zip(a.split(b"\n") + [None], b.split(b"\n") + [None]):
        if x != y:
            return "without cdbg: %r\n        with it:      %r" % (x and x[:200], y and y[:200])
    return "more lines"


def compare(plain, with_it):
    """What differs, in words; "" for nothing."""
    said = []
    if plain[2] != with_it[2]:
        said.append("status %s, not %s" % (with_it[2], plain[2]))
    for k, name in ((0, "stdout"), (1, "stderr")):
        if plain[k] != with_it[k]:
            said.append("%s: %s" % (name, first_difference(plain[k], with_it[k])))
    if with_it[4]:
        said.append("trouble: " + with_it[4])
    return said


def missing(path, python):
    """What the program needs and the interpreter lacks; None when it lacks nothing."""
    with open(path, encoding="utf-8", errors="replace") as f:
        head = f.read(300)
    code = "".join("import %s\n" % names for names in re.findall(r"(?m)^# needs: (.*)$", head))
    for version in re.findall(r"(?m)^# needs-python: (\d+\.\d+)$", head):
        code += "import sys\nif sys.version_info < (%s): raise ImportError('Python %s')\n" % (version.replace(".", ", "), version)
    if not code:
        return None
    found = subprocess.run([python, "-c", code], capture_output=True, text=True, errors="replace")
    return found.stderr.strip().split("\n")[-1] if found.returncode else None


def suite_file(python, name):
    """The file of a test module of the interpreter's own suite; None when there is none."""
    code = "import importlib.util as u, sys; print(u.find_spec('test.' + sys.argv[1]).origin)"
    out = subprocess.run([python, "-c", code, name], capture_output=True, text=True)
    return out.stdout.strip() or None


def soak(args, name, target, count, script=None, ways=None):
    """A row of the table; True when all is the same."""
    began = time.monotonic()
    plain = run(args, target, None, limit=args.time * PATIENCE)
    took = time.monotonic() - began
    again = run(args, target, None, limit=max(args.time, took * PATIENCE))
    limit = max(args.time, (time.monotonic() - began) / 2 * PATIENCE)
    if plain[2] == "timeout":
        print("%-24s takes more than %.0f s without cdbg" % (name, args.time * PATIENCE), flush=True)
        count["skipped"] += 1
        return
    if plain[:3] != again[:3]:
        print("%-24s differs from itself: %s" % (name, "; ".join(compare(plain, again))[:300]), flush=True)
        count["differs from itself"] += 1
        return
    cells, details = [], []
    for way in ways or args.way or WAYS[:5]:
        got = run(args, target, way, script, limit=limit + (args.read if way == "read" else 0))
        said = compare(plain, got)
        cells.append("%s %s" % (way, "same" if not said else "DIFFERS") + (" (%s)" % got[3] if args.verbose else ""))
        details += ["    %s: %s" % (way, s) for s in said]
        count["same" if not said else "different"] += 1
    print("%-24s %s  %.0f s" % (name, ", ".join(cells), time.monotonic() - began))
    for d in details:
        print(d)
    sys.stdout.flush()


def outcomes(stdout):
    """{test: what pytest -v says of it, with the message where it fails}; a test that did not end has no outcome."""
    text = stdout.decode(errors="replace")
    found = dict(re.findall(r"(?m)^(\S+::\S+)(?: ([A-Z]+)\b|).*$", text))
    for test, message in re.findall(r"(?m)^(?:FAILED|ERROR) (\S+::\S+) - (.*)$", text):
        found[test] = "%s: %s" % (found.get(test) or "FAILED", message[:60])
    return found


def soak_pytest(args, path, count):
    """A row of the table.  Tests that time left to run by both ways are compared."""
    name, target = os.path.basename(path), ["-m", "pytest", "-v", "-p", "no:cacheprovider", "--tb=line", path]
    env = {"PYTHONUNBUFFERED": "1", "COLUMNS": "160"}
    plain = run(args, target, None, path, env)
    expected, cells, details = outcomes(plain[0]), [], []
    if not expected:
        print("%-24s skipped: pytest runs no test of it: %s" % (name, plain[0].decode(errors="replace").strip()[-300:]), flush=True)
        count["skipped"] += 1
        return
    for way in args.way or WAYS[:5]:
        got = run(args, target, way, path, env)
        now = outcomes(got[0])
        both = expected.keys() & now.keys()
        if "timeout" in (plain[2], got[2]):
            both = [t for t in both if expected[t] and now[t]]
        elif plain[2] != got[2] or expected.keys() != now.keys():
            details.append("    %s: status %s, not %s; %d tests, not %d" % (way, got[2], plain[2], len(now), len(expected)))
        other = sorted(t for t in both if expected[t] != now[t])
        details += ["    %s: %s\n        without cdbg: %s\n        with it:      %s" % (way, t, expected[t], now[t]) for t in other]
        details += ["    %s: trouble: %s" % (way, got[4])] if got[4] else []
        cells.append("%s %d of %d same, %s%s" % (way, len(both) - len(other), len(expected), got[3],
                                                       ", time is up" if got[2] == "timeout" else ""))
        count["same"] += len(both) - len(other)
        count["different"] += len(other)
    if details:
        again = outcomes(run(args, target, None, path, env)[0])
        details += ["    differs from itself: %s" % t for t in sorted(again) if again[t] != expected.get(t)]
    print("%-24s %s" % (name, "; ".join(cells)), *details, sep="\n", flush=True)


def chosen(args):
    """(path, ways; None: the usual ones) of each program."""
    if args.short and not args.program:
        args.read = min(args.read, 8)
        return [(os.path.join(here, "programs", n + ".py"), None) for n in SHORT] + [(os.path.join(cases, n + ".py"), ["read"]) for n in SHORT_CASES]
    found = sorted(glob.glob(here + "/programs/*.py")) + sorted(glob.glob(cases + "/*.py"))
    if args.program:
        known = {os.path.basename(path)[:-3]: path for path in found}
        found = [name if os.path.exists(name) else known[name] for name in args.program]
    return [(path, args.way or (WAYS if os.path.dirname(os.path.abspath(path)) == cases else None)) for path in found]


def soak_random(args, count):
    """Random commands that read, at random stops; the programs are forked from one that has imported torch."""
    env = dict(os.environ, CDBG_PYTHON=args.python, CDBG_BUILD=os.path.abspath(args.build))
    forked = os.path.join(os.path.dirname(here), "lib", "forked.py")
    status = subprocess.call([sys.executable, forked, sys.executable, os.path.join(here, "random_reading.py"), str(args.random), str(args.seed)], env=env)
    count["different" if status else "same"] += 1


def soak_attach(args, count):
    """Programs that run without cdbg are attached to; under the interpreter that they run under."""
    env = dict(os.environ, CDBG_PYTHON=args.python, CDBG_BUILD=os.path.abspath(args.build))
    status = subprocess.call([args.python, os.path.join(here, "attaching_soak.py"), str(args.attach)] + args.program, env=env)
    count["different" if status else "same"] += 1


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("program", nargs="*", help="files, or names in programs/ and in cases")
    p.add_argument("-w", "--way", action="append", choices=WAYS)
    p.add_argument("--short", action="store_true")
    p.add_argument("--suite", action="store_true")
    p.add_argument("--pytest", action="store_true")
    p.add_argument("--random", type=int, metavar="COUNT", help="random commands that read at so many random stops; without programs 20")
    p.add_argument("--attach", type=int, metavar="COUNT", help="attach to running programs and leave them so many times all together")
    p.add_argument("--seed", type=int, default=1, help="of the first of them; each takes the next one (1)")
    p.add_argument("-t", "--time", type=float, default=60,
                   help="seconds for each run (60); a program that takes long without cdbg gets ten times what it took")
    p.add_argument("-r", "--read", type=float, default=60, help="seconds for the commands of way read in a program (60)")
    p.add_argument("-s", "--stops", type=int, help="go on without breakpoints after so many (%s)" %
                   ", ".join("%s %d" % x for x in STOPS.items()))
    p.add_argument("-i", "--ignore", action="append", default=[], help="lines with this pattern are not compared")
    p.add_argument("-v", "--verbose", action="store_true")
    p.add_argument("--python", default=os.environ.get("CDBG_PYTHON", sys.executable))
    p.add_argument("--build", default=os.environ.get("CDBG_BUILD", os.path.join(here, "../../build")))
    args = p.parse_args()
    args.inplace = os.path.join(os.path.abspath(args.build), "inplace")
    count = {"same": 0, "different": 0, "skipped": 0, "differs from itself": 0}
    if args.suite:
        for name in args.program:
            where = suite_file(args.python, name)
            if where:
                soak(args, name, ["-m", "test", "-u", "none", name], count, where)
            else:
                print("%-24s skipped: the interpreter has no test.%s" % (name, name), flush=True)
                count["skipped"] += 1
    elif args.pytest:
        for name in args.program:
            soak_pytest(args, os.path.abspath(name), count)
    elif args.random:
        soak_random(args, count)
    elif args.attach:
        soak_attach(args, count)
    else:
        for path, ways in chosen(args):
            lacks = missing(path, args.python)
            if lacks:
                print("%-24s skipped: %s" % (os.path.basename(path)[:-3], lacks), flush=True)
                count["skipped"] += 1
                continue
            soak(args, os.path.basename(path)[:-3], [os.path.abspath(path)], count, ways=ways)
        if not args.program and not args.short and not args.way:
            args.random = 20
            soak_random(args, count)
    print(", ".join("%d %s" % (n, what) for what, n in count.items()))
    return count["different"] > 0


if __name__ == "__main__":
    sys.exit(main())
