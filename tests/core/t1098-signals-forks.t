#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# catch fork, exec and signal; handle and info signals; set follow-fork-mode; what a forked child keeps of cdbg.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

SIGNALS = """
import os, signal

def h(number, frame):
    print("handler", number, flush=True)

signal.signal(signal.SIGUSR1, h)

def work(k):
    os.kill(os.getpid(), signal.SIGUSR1)
    return k

work(1)
work(2)
default = signal.getsignal(signal.SIGTERM)
os.kill(os.getpid(), signal.SIGTERM)
print("still here", default is signal.SIG_DFL, flush=True)
"""


def to_end(d):
    """For a program that ends without `exited`: (output, status)."""
    try:
        d.run_out()
    except Trouble:
        pass
    return d.out, d.proc.wait()


# ---- catch signal ----

with Cdbg(SIGNALS) as d:
    d.do("catch signal SIGUSR1")
    stop = d.go()
    is_((stop["reason"], stop["detail"], stop["frame"]["function"], stop["frame"]["line"]),
        ("signal", {"signal": "SIGUSR1", "number": 10}, "work", 9),
        "catch signal stops where the signal is delivered")
    is_((d.text("print k"), d.out), ("1", ""), "before the program's handler, in the frame that is interrupted")
    d.go()
    is_((d.out, d.text("print k")), ("handler 10\n", "2"), "the handler runs when the program continues")
    d.do("handle SIGUSR1 nopass")
    is_(to_end(d), ("handler 10\n", -15), "nopass at the stop discards that signal; others do what they do")
with Cdbg(SIGNALS) as d:
    d.do("catch signal")
    seen = []
    while not d.exited and len(seen) < 3:
        seen.append(d.go()["detail"]["signal"])
    is_(seen, ["SIGUSR1", "SIGUSR1", "SIGTERM"], "catch signal alone catches handled ones and those that would end the program")
    d.do("handle TERM nopass")
    d.run_out()
    is_((d.exited["status"], d.out), (0, "handler 10\n" * 2 + "still here True\n"),
        "a program whose SIGTERM is discarded lives on, and reads its own SIG_DFL")
with Cdbg(SIGNALS) as d:
    d.do("tcatch signal USR1")
    d.go()
    is_(to_end(d), ("handler 10\n" * 2, -15), "tcatch stops once, and the default action ends the program as ever")
with Cdbg(SIGNALS) as d:
    for line, pattern, name in (
            ("catch signal foo", "unknown signal 'foo'", "an unknown signal is refused"),
            ("catch signal KILL", "no process can catch it", "SIGKILL is refused with the reason"),
            ("catch signal SEGV", "cannot go on", "SIGSEGV is refused with the reason"),
            ("catch signal INT", "help handle", "SIGINT is led to handle"),
            ("catch fork now", "takes no arguments", "catch fork takes no word"),
            ("handle SIGSTOP stop", "no process can catch it", "handle refuses SIGSTOP"),
            ("handle SIGFPE nopass", "cannot go on", "and synchronous faults"),
            ("handle SIGUSR1 dance", "unknown signal or action 'dance'", "and unknown actions"),
            ("handle", "missing signal: ", "and nothing"),
            ("handle stop", "missing signal in 'handle stop'", "and actions alone")):
        like(d.error(line), pattern, name)

# ---- handle ----

with Cdbg(SIGNALS) as d:
    rows = {r["signal"]: r for r in d.rows("info signals")}
    is_([rows["SIGTERM"][k] for k in ("number", "stop", "print", "pass")], [15, False, False, True], "info signals: SIGTERM is the program's")
    is_([rows["SIGINT"][k] for k in ("stop", "print", "pass")], [True, True, False], "SIGINT is cdbg's")
    is_((rows["SIGSEGV"]["stop"], "cannot go on" in rows["SIGSEGV"]["description"]), (None, True), "SIGSEGV cannot be caught, and why")
    is_(d.text("handle SIGTERM USR1 stop nopass"), "SIGUSR1: stop, print, nopass\nSIGTERM: stop, print, nopass",
        "handle takes several signals; stop implies print")
    is_(d.text("handle 10 noprint"), "SIGUSR1: nostop, noprint, nopass", "noprint implies nostop")
    is_([r["pass"] for r in d.rows("info handle SIGTERM")], [False], "info handle SIGNAL shows one")
    stop = d.go()
    is_((stop["reason"], stop["detail"]["signal"], stop["frame"]["line"]), ("signal", "SIGTERM", 15), "handle SIGTERM stop stops at the default action")
    d.run_out()
    is_((d.out, d.exited["status"]), ("still here True\n", 0), "and what is not passed does not arrive")
with Cdbg(SIGNALS) as d:
    d.do("handle SIGUSR1 print")
    to_end(d)
    is_([n["text"] for n in d.notes if "SIGUSR1" in n["text"]], ["the program got signal SIGUSR1, User defined signal 1"] * 2,
        "print says that a signal came, and continues")
with Cdbg(SIGNALS) as d:
    d.do("handle SIGTERM stop")
    d.go()
    d.do("handle SIGTERM nostop noprint")
    d.do("detach")
    is_(d.proc.wait(), -15, "detach at a signal's stop lets it do what it does")
with Cdbg("""
    import signal, os, time
    t = time.monotonic()
    signal.signal(signal.SIGALRM, lambda *a: print("alarm", flush=True))
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    while time.monotonic() - t < 0.3:
        pass
    old = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    print(old is signal.SIG_DFL, signal.getsignal(signal.SIGTERM) is signal.SIG_DFL, signal.getsignal(signal.SIGPIPE) is signal.SIG_IGN)
    old = signal.signal(signal.SIGTERM, lambda *a: print("mine"))
    print(old is signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGTERM)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if not os.fork():
        os.kill(os.getpid(), signal.SIGTERM)
        os._exit(1)
    print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
    os.kill(os.getpid(), signal.SIGTERM)
    print("end")
    """) as d:
    d.do("handle all stop nopass")
    d.do("handle CHLD nostop noprint pass")
    seen = []
    while not d.exited:
        stop = d.go()
        if stop.get("reason") == "signal":
            seen.append(stop["detail"]["signal"])
    is_((seen, d.out), (["SIGALRM", "SIGTERM", "SIGTERM"], "True True True\nTrue\n-15\nend\n"),
        "all signals can be stopped at and discarded; the program's own view of its handlers stays, a child has its default action")

# ---- fork and exec ----

CHILDREN = """
import os, subprocess, sys

def run(name):
    return subprocess.run([sys.executable, "-S", "-c", "print(%r, flush=True)" % name]).returncode

run("one")
os.system("echo two")
os.wait() if os.fork() or os._exit(3) else None
x = 1
os.execv("/bin/echo", ["echo", "last"])
"""
plain_out = bare(CHILDREN)[1]
with Cdbg(CHILDREN) as d:
    d.do("catch fork")
    d.do("catch exec")
    stops = []
    for _ in range(4):
        stop = d.go()
        stops.append((stop["reason"], stop["detail"]["call"]))
    is_(stops, [("exec", "subprocess.Popen"), ("exec", "os.system"), ("fork", "os.fork"), ("exec", "os.exec")],
        "catch fork and catch exec stop before each child and each program")
    is_((stop["detail"]["program"], stop["frame"]["function"], d.text("print x")), ("/bin/echo", "<module>", "1"),
        "with the program's name, in the program's own frame")
    is_(to_end(d)[0], plain_out, "the output is that of the program alone, and of the one that it became")
with Cdbg(CHILDREN) as d:
    d.do("catch exec echo")
    is_(d.go()["detail"]["program"], "/bin/echo", "catch exec PROGRAM takes the last part of its path")

with Terminal(CHILDREN, options=()) as t:        # the full screen
    t.expect(r"subprocess")
    t.line("catch exec echo")
    t.expect(r"point 1")
    t.line("continue")
    t.expect(r"/bin/echo")
    t.line("continue")
    t.expect(r"\nlast")
    is_(t.ended(), 0, "in the full screen it stops before exec, and the new program has the terminal")

FORK = """
import os, signal, sys, threading

def child(n):
    k = n + 1
    sys.stdout.write("child %d\\n" % k)
    sys.stdout.flush()
    return k

pid = os.fork()
if not pid:
    r = child(5)
    own = [signal.getsignal(signal.SIGINT) is signal.default_int_handler, sys.gettrace(), threading.active_count(),
           [f for f in sys.meta_path if "cdbg" in type(f).__module__]]
    print(own, flush=True)
    os._exit(r)
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print("parent", status, flush=True)
"""
NOTE = "the program forked, and cdbg does not follow the child: breakpoints do not stop there; a DataLoader with num_workers=0 "
OWN = "[True, None, 1, []]\n"
status, out, err = run(FORK, options=("--plain", "-q"), commands=["break child", "catch exception", "continue", "print 1+1"])
like("".join(l for l in out.splitlines(True) if not l.startswith(NOTE)), re.escape("child 6\n" + OWN + "parent 6"), "a child runs without cdbg: no handler, no tracer, no thread, no import hook of it")
unlike(out, r"stopped: breakpoint", "and stops nowhere")
with Cdbg(FORK) as d:
    d.do("break child")
    d.run_out()
    is_(d.out, "child 6\n" + OWN + "parent 6\n", "the same in JSON")
    like(d.error("set follow-fork-mode child"),
         "cannot follow a child in JSON", "JSON says that it cannot follow a child")
with Terminal(FORK, options=("--plain", "-q")) as t:
    t.expect(r"\(cdbg\) ")
    t.line("break child")
    t.expect(r"\(cdbg\) ")
    t.line("next")
    t.expect(r"\(cdbg\) ")
    t.line("set follow-fork-mode child")
    t.expect(r"\(cdbg\) ")
    t.line("continue")
    t.expect(r"following the child, process \d+")
    t.expect(r"stopped: breakpoint 1")
    t.expect(r"\(cdbg\) ")
    t.line("print n")
    t.expect(r"^5$")
    t.line("finish")
    t.expect(r"child 6")
    t.expect(r"\(cdbg\) ")
    t.line("next")
    t.expect(r"\(cdbg\) ")
    t.line("print r")
    t.expect(r"^6$")
    t.line("continue")
    t.expect(r"parent 6")
    is_(t.ended(), 0, "set follow-fork-mode child: the child is debugged, the parent continues without")
for answer, where in (("y", "following the child, process"), ("n", "parent 6")):
    with Terminal(FORK, options=("--plain", "-q")) as t:
        t.expect(r"\(cdbg\) ")
        t.line("set follow-fork-mode ask")
        t.expect(r"\(cdbg\) ")
        t.line("continue")
        t.expect(r"The program forks\. Debug the child, and let the parent run\? \(y or n\) ")
        t.line(answer)
        t.expect(where)
        if answer == "y":
            t.expect("parent 6")
        else:
            t.expect(r"\(cdbg\) ")
            t.line("quit")
        is_(t.ended(), 0, "set follow-fork-mode ask, and the answer %s: %s" % (answer, where))
status, out, err = run(FORK, options=("--plain", "-q"), commands=["break child", "continue", "info breakpoints"])
is_((out + err).count(NOTE), 1, "a note names the breakpoints that wait in a child")
like(out, r"not hit before the program ended, in this process: cdbg does not follow children", "and listed as not hit for that reason")
status, out, err = run(FORK, options=("--plain", "-q"), commands=["catch exception", "continue"])
is_((out + err).count(NOTE), 0, "without one there is no note")
status, out, err = run("""
    import multiprocessing as mp

    def task(n):
        return n * n

    if __name__ == "__main__":
        with mp.get_context("fork").Pool(2) as pool:
            print(pool.map(task, range(5)))
    """, options=("--plain", "-q"), commands=["catch fork", "break task", "continue", "continue", "continue", "continue"])
is_((out.count("stopped: fork"), "[0, 1, 4, 9, 16]" in out), (2, True), "a pool of processes is caught at each fork, its workers run")
done()
