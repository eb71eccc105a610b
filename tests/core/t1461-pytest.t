#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# cdbg in a test that pytest runs: in place of pdb (--pdb, --trace, pytest.set_trace()), and where pytest captures the output.
import os
import pty
import select
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from cdbgtest import PATIENCE, argv, environment, interpreter

if not has("pytest"):
    skip_all("no pytest")
TESTS = script('''
    import pytest

    def inner(a):
        b = a + 1
        raise ValueError("bad %d" % b)

    def test_one():
        inner(3)

    def test_two():
        x = 5
        pytest.set_trace()
        assert x == 5

    def test_three():
        pass
    ''', "test_prog.py")
ASKS = script('''
    import cdbg

    def test_one():
        x = 3
        cdbg.breakpoint()
        x += 1
        assert x == 4

    def test_two():
        y = 5
        cdbg.breakpoint()
        assert y == 5
    ''', "test_asks.py")
WORDS = ["-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", "--color=no"]


def run(lines, *words, path=TESTS, env=None):
    """pytest with these lines on standard input: its status and output."""
    r = subprocess.run(argv(*WORDS, *words, path), input="".join(line + "\n" for line in lines), capture_output=True, text=True,
                       env=environment(env), cwd=os.path.dirname(path))
    return r.returncode, r.stdout


def asked(answers, *words, path=ASKS, env=None):
    """pytest on a terminal of its own; each answer follows a prompt: its status, and what the terminal showed."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(os.path.dirname(path))
        os.execve(interpreter(), argv(*WORDS, *words, path), environment(env))
    seen, end, answers, used = b"", time.monotonic() + 60 * PATIENCE, list(answers), 0
    while time.monotonic() < end:
        if not select.select([fd], [], [], 1)[0]:
            continue
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        seen += data
        if answers and seen[used:].rstrip().endswith(b"(cdbg)"):
            used = len(seen)
            os.write(fd, answers.pop(0).encode() + b"\n")
    else:
        os.kill(pid, 9)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), seen.decode(errors="replace").replace("\r", "")


# ---- in place of pdb ----

PDB = "--pdbcls=cdbg:Pdb"
status, out = run(["print b", "continue", "print x * 2", "next", "continue"], "--pdb", PDB)
like(out, r"stopped: uncaught exception ValueError: bad 4.*\ninner at test_prog.py:5", "--pdb stops in the frame that raised")
like(out, r"(?m)^4$", "its variables can be printed")
like(out, r"stopped: breakpoint\(\)\ntest_two at test_prog.py:12", "pytest.set_trace() stops in the test, after an earlier stop was continued")
like(out, r"(?m)^10$", "and there")
like(out, r"test_two at test_prog.py:13", "next goes on in the test")
ok(status == 1 and "1 failed, 2 passed" in out, "all tests run, with their results", out)

status, out = run(["quit"], "--pdb", PDB)
ok(status == 2 and "Quitting debugger" in out and "1 failed in" in out, "quit at a failure ends pytest, with what it has found", out)
status, out = run(["continue", "quit"], "--pdb", PDB)
ok(status == 2 and "test_two" in out and "test_three" not in out.split("PDB set_trace")[1], "quit in a running test ends pytest, too", out)
status, out = run(["info locals", "continue", "next", "continue", "continue", "continue"], "--trace", PDB)
like(out, r"PDB runcall.*\n(.*\n)?test_one at test_prog.py:8", "--trace stops at the first line of each test")
like(out, r"test_three at test_prog.py:16", "of the last one, too")

# ---- breakpoint() where the output is captured ----

status, out = asked(["print x", "next", "continue", "print y * 3", "continue"])
like(out, r"test_one at test_asks.py:5", "captured: a breakpoint asks on the controlling terminal")
like(out, r"\(cdbg\) print x\n3\n", "captured: it answers")
like(out, r"\(cdbg\) print y \* 3\n15\n", "captured: the next test's breakpoint asks again")
ok(status == 0 and "2 passed" in out, "captured: the results are pytest's", out)
r = subprocess.run(argv(*WORDS, ASKS), stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment(), start_new_session=True,
                   cwd=os.path.dirname(ASKS))
ok(r.returncode == 0 and "2 passed" in r.stdout, "without a terminal the tests run on", r.stdout + r.stderr)
r = subprocess.run(argv(*WORDS, "-s", ASKS), stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment(), start_new_session=True,
                   cwd=os.path.dirname(ASKS))
is_(r.stdout.count("stopped: breakpoint()"), 2, "each stop is shown, also after one that nobody could answer")
status, out = asked([], "-s", env={"PYTEST_XDIST_WORKER": "gw0"})
like(out, "a worker of pytest-xdist has no terminal: run pytest with -n 0", "a worker of pytest-xdist says why it does not stop")
done()
