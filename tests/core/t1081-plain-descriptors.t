#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The prompt: a program that closes or replaces cdbg's descriptors continues alone, and its files stay as they are."""
import os
import signal
import subprocess
import sys
import termios
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402

# What the program does before it calls f(); DATA would be commands.
START = """
    import fcntl, os, resource, signal, subprocess, sys
    DATA = sys.argv[1]
    top = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    def own():
        "Descriptors that are not the program's."
        found = []
        for n in os.listdir("/proc/self/fd"):
            try:
                os.fstat(int(n))
                found.append(int(n))
            except OSError:
                pass
        return sorted(n for n in found if n > 2)
    def f():
        return 42
"""
GRAB = """
    fds = own()
    os.closerange(3, top)
    data = os.open(DATA, os.O_RDWR)
    for fd in fds:
        if fd != data:
            os.dup2(data, fd)
"""
END = """
    f()
    f()
    print("after")
    sys.exit(4)
"""
TEXT = "print 'from the data'\nquit 9\n"


def data():
    path = os.path.join(os.path.dirname(script("pass\n")), "data")
    with open(path, "w") as f:
        f.write(TEXT)
    return path


def text_of(path):
    with open(path) as f:
        return f.read()


def take(what, name, **more):
    """A program that takes descriptors: cdbg reports it, detaches, and leaves the files alone."""
    path = data()
    status, out, err = run(START + what + END, path, options=["--plain", "-nx"],
                           commands=["break f", "continue", "print 'obeyed'", "continue"], **more)
    is_((status, text_of(path)), (4, TEXT), name + ": the program's file is neither read as commands nor written")
    ok("obeyed" not in out and out.endswith("after\n") and out.count("(cdbg)") == 0, name + ": the program runs on alone", out)
    is_(err, "cdbg: the program closed or replaced descriptors that cdbg needs; detached, the program runs on without cdbg\n",
        name + ": that is reported once, on its standard error")


take(GRAB, "all descriptors closed, files in their place")
take("    os.closerange(3, top)\n", "all descriptors closed")
take("    for fd in own():\n        fcntl.fcntl(fd, fcntl.F_GETFD); os.close(fd)\n", "each closed by close()")
take("    null = os.open('/dev/null', os.O_RDWR)\n    for fd in own():\n        os.dup2(null, fd)\n", "dup2() of another file onto each")
take("    os.close(max(own()))\n", "only one of them closed")

# Where standard error is not what it was either, nothing is reported anywhere.
path, errors = data(), data()
status, out, err = run(START + GRAB + "    os.dup2(os.open(sys.argv[2], os.O_RDWR), 2)\n    os.dup2(2, 1)\n" + END, path, errors,
                       options=["--plain", "-nx"], commands=["break f", "continue", "continue"])
is_((status, text_of(path), text_of(errors).replace(TEXT[:6], "after\n")), (4, TEXT, "after\n" + TEXT[6:]),
    "nothing is reported where standard output and error are files of the program's by now")

# What leaves cdbg's descriptors alone leaves the session alone.
for what, name in (
        ("    os.closerange(3, 200)\n    fds = [os.open('/dev/null', 0) for n in range(197)]\n", "closerange(3, 200), as daemons do"),
        ("    subprocess.run(['true'], close_fds=True)\n", "subprocess with close_fds"),
        ("    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)\n    resource.setrlimit(resource.RLIMIT_NOFILE, (32, hard))\n",
         "a lower limit of open files")):
    status, out, err = run(START + what + END, data(), options=["--plain", "-nx"],
                           commands=["break f", "continue", "print 6 * 7", "continue", "print 'again'", "continue"])
    ok(status == 4 and "42\n" in out and "again" in out and not err, name + ": the session continues", (status, out, err))

with open(os.devnull) as null:
    limit = "ulimit -n 40; exec \"$@\""
    proc = subprocess.run(["sh", "-c", limit, "sh"] + cdbgtest.argv("-m", "cdbg", "--plain", "-nx", script(START + END), data()),
                          input=b"break f\ncontinue\nprint 6 * 7\n", env=cdbgtest.environment(), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=60 * cdbgtest.PATIENCE)
    ok(proc.returncode == 4 and b"42\n" in proc.stdout, "with 40 descriptors in all cdbg works", proc.stdout)

# A log that was closed is opened again.
path, log = data(), data()
status, out, err = run(START + """
    for fd in own():
        if os.readlink("/proc/self/fd/%d" % fd) == sys.argv[2]:
            os.dup2(os.open(DATA, os.O_RDWR), fd)
""" + END, path, log, options=["--plain", "-nx"], commands=["set logging " + log, "break f", "continue", "print 6 * 7", "continue"])
ok(text_of(path) == TEXT and "print 6 * 7" in text_of(log) and status == 4, "a log that the program closed is opened again",
   (text_of(path), text_of(log)))

# ---- a terminal ----

for what, name in ((GRAB, "terminal: all descriptors closed, files in their place"),
                   (GRAB + "    null = os.open('/dev/null', os.O_RDWR)\n    for n in range(3):\n        os.dup2(null, n)\n",
                    "terminal: standard streams replaced, too")):
    path = data()
    with Terminal(START + what + END, path, options=["--plain", "-nx", "-q"]) as t:
        t.expect(r"\(cdbg\) ")
        keep = os.open("/proc/%d/fd/0" % t.pid, os.O_RDWR | os.O_NOCTTY)      # else the last close would end the terminal
        t.line("break f")
        t.expect(r"\(cdbg\) ")
        t.line("continue")
        t.expect("cdbg: the program closed or replaced descriptors that cdbg needs; detached")
        os.close(keep)
        is_((t.ended(), text_of(path)), (4, TEXT), name + ": the program runs on alone, and its file is untouched")
        unlike(t.text[t.mark:], r"\(cdbg\)", name + ": no prompt comes")

with Terminal(START + END, data(), options=["--plain", "-nx", "-q"]) as t:
    t.expect(r"\(cdbg\) ")
    t.line("!os = __import__('os'); os.closerange(3, 5000)")
    t.expect("cdbg: the program closed or replaced descriptors that cdbg needs; detached")
    mode = termios.tcgetattr(t.fd)[3]
    is_(t.ended(), 4, "terminal: closed by a command at the prompt, the program runs on alone")
    ok(mode & termios.ECHO and mode & termios.ICANON, "terminal: in line mode, with echo")
    like(t.text[t.mark:], "after", "terminal: to its end")

# ---- children ----

fifo = os.path.join(os.path.dirname(data()), "fifo")
os.mkfifo(fifo)
path = script(START + """
    if os.fork():
        os._exit(5)
    os.setsid()
    null = os.open("/dev/null", os.O_RDWR)
    for n in range(3):
        os.dup2(null, n)
    with open(sys.argv[1]) as f:
        f.read()
""")
proc = subprocess.Popen(cdbgtest.argv("-m", "cdbg", "--plain", "-nx", path, fifo), stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE, env=cdbgtest.environment())
out, _ = proc.communicate(b"continue\n", timeout=60 * cdbgtest.PATIENCE)
is_(proc.returncode, 5, "a daemon that left its standard streams keeps nobody waiting for the end of output")
with open(fifo, "w"):
    pass

# ---- death ----

for end, status in (("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL), ("os.abort()", -signal.SIGABRT)):
    status_, out, err = run(START + "    os.write(1, b'o' * 5000)\n    os.write(2, b'last')\n    %s\n" % end, data(),
                            options=["--plain", "-nx"], commands=["continue"])
    is_((status_, out.count("o" * 5000), err.partition("cdbg: the program crashed")[0]), (status, 1, "last"),
        "the prompt: all output before %s is there" % end)

done()
