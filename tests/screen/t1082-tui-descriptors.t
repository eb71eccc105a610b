#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The full screen: a program that closes or replaces its descriptors gets its terminal back; nothing that it wrote is lost."""
import os
import re
import select
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *
import cdbgtest

SAID = "cdbg: the program closed or replaced descriptors that cdbg needs; detached, the program runs on without cdbg"
TEXT = "print 'from the data'\nquit 9\n"
START = """
    import os, resource, signal, subprocess, sys, time
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
    print("before")
"""
GRAB = """
    fds = own()
    os.closerange(3, top)
    data = os.open(sys.argv[1], os.O_RDWR)
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


def data(text=TEXT):
    path = os.path.join(os.path.dirname(script("pass\n")), "data")
    with open(path, "w") as f:
        f.write(text)
    return path


def text_of(path):
    with open(path) as f:
        return f.read()


def take(what, name, commands=("break f", "continue")):
    path = data()
    with Screen(START + what + END, path, options=["-q", "-nx"]) as s:
        for c in commands:
            s.line(c, wait=c != commands[-1])
        is_((s.ended(), text_of(path)), (4, TEXT), name + ": the program ends with its status, its file is as it was")
        ok(s.sane, name + ": the terminal is as it was", s.after)
        like(s.after, SAID, name + ": that is reported on it")
        ok(s.after.count("before") == s.after.count("after") == 1, name + ": with what the program wrote before and after", s.after)
        is_(s.after.count("cdbg:"), 1, name + ": once")


take(GRAB, "all descriptors closed, files in their place")
take("    os.closerange(3, top)\n", "all descriptors closed")
take("    os.closerange(3, top)\n", "all descriptors closed, no breakpoint after it", ["continue"])
take("    null = os.open('/dev/null', os.O_RDWR)\n    for fd in own():\n        os.dup2(null, fd)\n", "dup2() of another file onto each")
take("    os.close(next(n for n in own() if n > 300 and 'pipe:' in os.readlink('/proc/self/fd/%d' % n)))\n", "only one of them closed")
take("", "closed by a command at a stop", ["!__import__('os').closerange(3, 5000)"])

# While the program continues, without another stop: the screen needs none of its descriptors.
path = os.path.join(os.path.dirname(data()), "fifo")
os.mkfifo(path)
with Screen(START + "    os.closerange(3, top)\n    with open(sys.argv[1]) as fifo:\n        fifo.read()\n" + END, path, options=["-q", "-nx"]) as s:
    s.line("continue", wait=False)
    with open(path, "w"):
        s.see("before", "running")
        s.keys("half", wait=False).see("(cdbg) half")
        ok(all(t in s.text for t in ("before", "running", "(cdbg) half")),
           "a program that closed all descriptors and runs on: keys and output are still there", s.text)
    is_(s.ended(), 4, "it ends with its status")
    like(s.after, "before\nafter\n(.|\n)*" + SAID, "what it wrote is on the terminal, and what happened")

for what, name in (
        ("    os.closerange(3, 200)\n    fds = [os.open('/dev/null', 0) for n in range(197)]\n", "closerange(3, 200), as daemons do"),
        ("    subprocess.run(['true'], close_fds=True)\n", "subprocess with close_fds")):
    with Screen(START + what + END, data(), options=["-q", "-nx"]) as s:
        s.line("break f").line("continue", wait=False).see("stopped: breakpoint 1")
        s.line("print 6 * 7").see("42")
        like(s.text, r"(?m)^.?42\b", name + ": the session continues")

# What the program made of its standard streams stays so.
path, log = data(), data("")
with Screen(START + """
    sys.stdout.flush()
    os.dup2(os.open(sys.argv[2], os.O_WRONLY), 1)
    f()
    print("to the log", flush=True)
    f()
    print("more")
    sys.exit(4)
""", path, log, options=["-q", "-nx"]) as s:
    s.line("break f").line("continue", wait=False).see("stopped: breakpoint 1")
    s.line("set terminal program").line("continue", wait=False)
    s.until(lambda: s.marks and "to the log" in text_of(log), "the log")
    s.ready()
    s.line("detach", wait=False)
    is_((s.ended(), text_of(log)), (4, "to the log\nmore\n"),
        "a program that redirected its standard output keeps it so when the terminal is lent and given back")

# ---- death ----

KILLS = ("os.kill(os.getpid(), signal.SIGKILL)", "__import__('ctypes').string_at(0)", "os.abort()")
for end in KILLS:
    whole, sane, runs = 0, 0, 5
    for _ in range(runs):
        with Screen(START + "    for n in range(100):\n        print('line %%d' %% n)\n    sys.stdout.flush()\n"
                    "    os.write(2, b'last words\\n')\n    %s\n" % end, options=["-q", "-nx"]) as s:
            s.line("continue", wait=False)
            s.ended()
            s.until(lambda: s.sane and "last words" in s.after, "the end")
            sane += s.sane
            tail = s.after[s.after.index("line"):].split("\n")
            n = 100 - tail.index("last words")
            whole += n <= 90 and tail[:tail.index("last words") + 1] == ["line %d" % i for i in range(n, 100)] + ["last words"]
    is_((whole, sane), (runs, runs), "%s: the terminal is as it was, and what was written last is on it" % end)

with Screen("import os\nos.write(1, b'x' * 3000 + b'\\nlast')\nos.kill(os.getpid(), 9)\n", options=["-q", "-nx"]) as s:
    s.line("continue", wait=False)
    s.ended()
    s.until(lambda: s.sane and s.after.rstrip("\x1b[m\n").endswith("last"), "the end")
    is_(s.after.count("x"), 3000, "SIGKILL: a long line and one without its end are whole")

def result(path, seconds=60 * cdbgtest.PATIENCE):
    """What is written to a FIFO; a writer that never comes keeps no reader waiting without end."""
    fd = os.open(path, os.O_RDWR)
    try:
        return os.read(fd, 1000).decode() if select.select([fd], [], [], seconds)[0] else "nothing"
    finally:
        os.close(fd)


for end, status, name in (("os._exit(5)", 5, "os._exit"), ("os.kill(os.getpid(), 9)", -signal.SIGKILL, "SIGKILL"), ("sys.exit(6)", 6, "sys.exit")):
    path = os.path.join(os.path.dirname(data()), "fifo")
    os.mkfifo(path)
    # The child leaves the session first: its end sends SIGHUP to all in it.
    with Screen("""
        import os, sys
        left, leave = os.pipe()
        if os.fork():
            os.read(left, 1)
            %s
        os.setsid()
        parent = os.getppid()
        os.write(leave, b".")
        while os.getppid() == parent:
            pass
        try:
            answer = "wrote %%d" %% os.write(1, b"from the child\\n")
        except OSError as e:
            answer = str(e)
        os.write(os.open(sys.argv[1], os.O_RDWR), answer.encode())
        os._exit(0)
    """ % end, path, options=["-q", "-nx"]) as s:
        keep = os.open(path, os.O_RDWR)      # what is in a FIFO goes with its last user
        s.line("continue", wait=False)
        if status > 0:
            s.see("ended with status %d" % status).line("quit", wait=False)
        s.ended()
        s.until(lambda: s.sane, "the end")
        is_((s.status, result(path)), (status, "wrote 15"), "a child that outlives %s writes without an error" % name)
        os.close(keep)
        s.until(lambda: "from the child\n" in s.after, "what the child writes")
        is_(s.after.count("from the child\n"), 1, "and what it writes is on the terminal, once")

with Screen("import os\nos.kill(os.getpid(), 9)\n", options=["-q", "-nx", "-ex", "set watchdog off"]) as s:
    s.line("continue", wait=False)
    is_(s.ended(), -signal.SIGKILL, "set watchdog off: SIGKILL ends it")
    ok(not s.sane, "and nobody restores the terminal")

with Screen("""
    import os, signal
    caught = []
    signal.signal(signal.SIGCHLD, lambda *a: caught.append(1))
    try:
        os.wait()
    except ChildProcessError:
        print("no child", caught, open("/proc/self/task/%d/children" % os.getpid()).read(), "found")
    pid = os.fork()
    if not pid:
        os.write(1, b"child has %s\\n" % ",".join(sorted(os.listdir("/proc/self/fd"))).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    done = 1
""", options=["-q", "-nx"]) as s:
    s.line("break 13").line("continue", wait=False).see("stopped: breakpoint 1")
    like(s.see("no child", "found").text, r"no child \[\]  found", "the program has no child: not for wait(), not for SIGCHLD, not in /proc")
    s.see("child has")
    ok(not re.search(r"child has.*\b40\d\d\b", s.text), "a forked child has none of cdbg's descriptors", s.text)

done()
