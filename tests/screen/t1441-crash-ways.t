#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The report of a crash: in threads of Python and of C, on a full stack, beside faulthandler and handlers of the program, in
# children, into files, and in a program that no debugger runs.
import os
import re
import signal
import stat
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

START = """
import ctypes, faulthandler, os, signal, subprocess, sys, threading, time
libc = ctypes.CDLL(None)
def die():
    ctypes.string_at(0)
def native(n=1):
    wait = [ctypes.c_ulong() for _ in range(n)]
    for t in wait: libc.pthread_create(ctypes.byref(t), None, libc.strlen, None)
    for t in wait: libc.pthread_join(t, None)
"""
CRASHED = "cdbg: the program crashed by "


def crash(text, name, *patterns, sig=signal.SIGSEGV, commands=(), times=1, absent=(), same=True):
    """Runs it with cdbg: the report, the status and what else is on standard error."""
    path = script(START + text)
    status, out, err = run(path, options=["--plain", "-q"], commands=list(commands) + ["continue"])
    if same:
        is_((status, bare(path)[0]), (-sig, -sig), "%s: the status is that without cdbg" % name)
    is_(err.count(CRASHED), times, "%s: %d report%s" % (name, times, "" if times == 1 else "s"))
    for pattern in patterns:
        like(err, pattern, "%s: %s" % (name, pattern if len(pattern) < 40 else pattern[:40] + "..."))
    for pattern in absent:
        unlike(err, pattern, "%s: no %s" % (name, pattern))
    return out, err


# ---- threads ----

waiting = "go = threading.Event()\ndef waits(): go.wait()\nthreading.Thread(target=waits, daemon=True).start()\n"
crash(waiting + "threading.Thread(target=die).start(); time.sleep(60)\n", "in a thread",
      r"in which it crashed:\n  #0 +string_at .*(\n.*){0,4}\n  #1 +die ", r"(?m)^  #\d+ +waits .*", r"(?m)^  #\d+ +<module> .*")
crash(waiting + "native()\n", "in a thread of C", "came in a thread of a library", r"which has or had the GIL:\n  #0 +native ", "address 0x0")
crash("native(8)\n", "in eight threads of C at once", r"#0 +native ")
crash("for i in range(8): threading.Thread(target=die).start()\ntime.sleep(60)\n", "in eight threads at once", r"#1 +die ")

# ---- a full stack ----

full = """
def fill():
    libc.regcomp(ctypes.create_string_buffer(4096), b'(' * 10 ** 6, 1)
def down(n):
    return down(n - 1) if n else fill()
"""
crash(full + "down(500)\n", "on a full C stack", r"#0 +fill .*\n(.*\n)*  \.\.\. \d+ frames\n(.*\n)*  #501 +down .*\n(.*\n)?  #502 +<module> ")
crash(full + "threading.Thread(target=fill).start()\ntime.sleep(60)\n", "on the full C stack of a thread where cdbg has stopped", r"#0 +fill ",
      commands=["break fill", "continue"], same=False)
crash(full + "import cdbg\ndef own():\n    cdbg.crash_report()\n    fill()\nthreading.Thread(target=own).start()\ntime.sleep(60)\n",
      "on the full C stack of a thread that called cdbg.crash_report()", r"#0 +fill .*\n(.*\n)?  #1 +own ")
path = script(START + "import cdbg\ndef quick(): cdbg.crash_report()\ndef maps(): return len(open('/proc/self/maps').readlines())\n"
              "def many(n):\n    for i in range(n):\n        t = threading.Thread(target=quick); t.start(); t.join()\n"
              "many(10)\nbefore = maps()\nmany(200)\nprint(maps() - before < 20)\n")
is_(bare(path)[:2], (0, "True\n"), "the signal stacks of threads that ended are freed")
crash(full + "fill()\n", "on a full C stack with faulthandler", r"#0 +fill ", "Fatal Python error: Segmentation fault",
      commands=["break fill", "continue", "!faulthandler.enable(**({'c_stack': False} if sys.version_info >= (3, 14) else {}))"], same=False)

# ---- other handlers ----

enable = "faulthandler.enable(**{'c_stack': False} if sys.version_info >= (3, 14) else {})\n"
for name, before in (("faulthandler enabled in the program", enable), ("enabled and disabled", enable + "faulthandler.disable()\n"),
                     ("enabled twice", enable + "faulthandler.disable()\n" + enable)):
    like_fault = ["Fatal Python error: Segmentation fault(.|\n)*in die"] if not before.endswith("disable()\n") else []
    crash(before + "die()\n", name, "#1 +die ", *like_fault)
path = script(START + "die()\n")
done_ = python("-X", "faulthandler", "-m", "cdbg", "--plain", "-q", path, input="continue\n")
is_(done_.returncode, -signal.SIGSEGV, "faulthandler enabled before cdbg: the status")
like(done_.stderr, CRASHED + r"SIGSEGV(.|\n)*#1 +die (.|\n)*Fatal Python error: Segmentation fault(.|\n)*in die", "faulthandler enabled before cdbg: both reports")
path = script(START + "def handler(s, f): print('handled', s)\nsignal.signal(signal.SIGFPE, handler)\nos.kill(os.getpid(), signal.SIGFPE)\n"
              "signal.signal(signal.SIGABRT, signal.SIG_IGN); os.kill(os.getpid(), signal.SIGABRT); print('goes on')\n")
is_(run(path, options=["--plain", "-q"], commands=["continue"])[::2], (0, ""), "signals that the program handles or ignores make no report")
path = script("import ctypes, os, signal\ndef handler(s, f): print('handled', s, flush=True)\nsignal.signal(signal.SIGFPE, handler)\n"
              "signal.signal(signal.SIGILL, signal.SIG_IGN)\nimport cdbg\ncdbg.crash_report()\n"
              "os.kill(os.getpid(), signal.SIGFPE)\nos.kill(os.getpid(), signal.SIGILL)\nos.kill(os.getpid(), signal.SIGBUS)\n")
status, out, err = bare(path)
is_((status, out), (-signal.SIGBUS, "handled 8\n"), "what was handled or ignored before cdbg.crash_report() stays so")
like(err, "^" + CRASHED + "SIGBUS\n", "and the other signals are reported")

# ---- children ----

out, err = crash("pid = os.fork()\nif not pid: die()\nprint('child', os.waitpid(pid, 0)[1], flush=True)\nos.abort()\n", "a forked child and then its parent", sig=signal.SIGABRT, times=2)
has_child = re.search("child (\\d+)", out)
is_(has_child and int(has_child[1]) & 127, int(signal.SIGSEGV), "a forked child ends by its signal")
crash("os.execv(sys.executable, [sys.executable, '-c', 'import os; os.abort()'])\n", "after exec", sig=signal.SIGABRT, times=0)
crash("p = subprocess.run([sys.executable, '-c', 'import os; os.abort()'])\nprint(p.returncode, flush=True)\nos.abort()\n", "after a subprocess", sig=signal.SIGABRT)
with Cdbg(START + "pid = os.fork()\nif not pid: die()\nos.waitpid(pid, 0)\ndie()\n") as d:
    d.send("continue")
    event = {}
    while event.get("event") != "crashed":
        event = d.next()
    is_((event["threads"][0]["frames"][1]["function"], d.err.count(CRASHED)), ("die", 1),
        "JSON: a child's report is on its standard error, the program's in the object")
    is_(d.err.count("#1   die"), 1, "and the child's is whole")

# ---- files ----

folder = os.path.dirname(script("", "empty.py"))
name = os.path.join(folder, "crash.txt")
crash("die()\n", "set crash-report FILE", "this report is in " + re.escape(name), commands=["set crash-report " + name], same=False)
text = open(name).read()
like(text, r"^" + CRASHED + r"SIGSEGV(.|\n)*#1 +die ", "the file has the report")
is_(stat.S_IMODE(os.stat(name).st_mode), 0o600, "only the user can read it")
out, err = crash("die()\n", "the file exists", commands=["set crash-report " + name], same=False)
second = re.search(r"this report is in (\S+)", err)
ok(second and second[1].startswith(name + ".") and CRASHED in open(second[1]).read(), "a file that exists is kept: the report has the number of the process", err)
is_(open(name).read(), text, "the earlier report is as it was")
os.symlink(os.path.join(folder, "elsewhere"), os.path.join(folder, "link"))
crash("die()\n", "the file is a link", commands=["set crash-report " + os.path.join(folder, "link")], same=False)
ok(not os.path.exists(os.path.join(folder, "elsewhere")), "a link is not followed")
crash("die()\n", "no folder", "cannot write this report to /nowhere/x: no such folder", commands=["set crash-report /nowhere/x"], same=False)
crash("os.chdir('/')\ndie()\n", "a relative name", commands=["set crash-report rel%d.txt" % os.getpid()], same=False)
ok(os.path.exists("rel%d.txt" % os.getpid()), "a relative name counts from the folder where it was set")
if os.path.exists("rel%d.txt" % os.getpid()):
    os.unlink("rel%d.txt" % os.getpid())
crash("die()\n", "set crash-report off", times=0, commands=["set crash-report off"])
crash("die()\n", "off and on", commands=["set crash-report off", "set crash-report on"])
crash("die()\n", "after a detach", times=0, commands=["detach"])

# ---- what is not standard error ----

path = script(START + "os.close(2)\nf = open(os.path.join(os.path.dirname(__file__), 'data'), 'w')\nprint(f.fileno(), flush=True)\ndie()\n")
status, out, err = run(path, options=["--plain", "-q"], commands=["continue"])
is_((status, out.split()[-1:]), (-signal.SIGSEGV, ["2"]), "a program that has a file at descriptor 2 ends as before")
is_(open(os.path.join(os.path.dirname(path), "data")).read(), "", "nothing is written into that file")

# ---- without a debugger ----

path = script(START + "import cdbg\nassert 'cdbg.command' not in sys.modules\ncdbg.crash_report()\ndie()\n")
status, out, err = bare(path)
is_(status, -signal.SIGSEGV, "cdbg.crash_report(): the status")
like(err, CRASHED + r"SIGSEGV(.|\n)*#1 +die ", "cdbg.crash_report(): the report")
path = script(START + "import cdbg\ncdbg.crash_report(sys.argv[1]); cdbg.crash_report(sys.argv[1])\ndie()\n")
status, out, err = bare(path, os.path.join(folder, "alone.txt"))
like(open(os.path.join(folder, "alone.txt")).read(), "#1 +die ", "cdbg.crash_report(FILE) writes it there")
path = script(START + "import cdbg\ncdbg.crash_report()\ncdbg.crash_report(False)\ndie()\n")
is_(bare(path)[::2], (-signal.SIGSEGV, ""), "cdbg.crash_report(False) ends it")
path = script(START + "import cdbg\nfor bad in 3, b'a\\0b', 1.5:\n    try: cdbg.crash_report(bad)\n    except (TypeError, ValueError) as e: print(type(e).__name__)\n")
is_(bare(path)[:2], (0, "TypeError\nValueError\nTypeError\n"), "a file of a wrong type is refused")
crash("import cdbg\ncdbg.crash_report()\n", "cdbg.crash_report() and no crash", times=0, same=False)
path = script(START + "import cdbg\ncdbg.crash_report()\ndie()\n")
status, out, err = run(path, options=["--plain", "-q"], commands=["detach"])
is_((status, err.count(CRASHED)), (-signal.SIGSEGV, 1), "cdbg.crash_report() stays after a detach")

# ---- the full screen ----

REPORT = CRASHED + r"SIGSEGV(: no memory at address 0x0|)\r?\n(.|\r|\n)*  #1 +die .*\r?\n(.|\r|\n)*<module>"
for name, before in ("the full screen", ""), ("the full screen and faulthandler", enable):
    with Screen(START + before + "print('the last words', flush=True)\ndie()\n", options=["-q"]) as s:
        s.keys("c\r", wait=False)
        is_(s.ended(), -signal.SIGSEGV, "%s: the status" % name)
        ok(s.sane, "%s: the terminal is as it was" % name, s.after[-300:])
        like(s.after, "the last words(.|\r|\n)*" + REPORT, "%s: the report is on the terminal, below the output" % name)
        is_(s.after.count(CRASHED), 1, "%s: once" % name)
done()
