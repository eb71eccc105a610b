#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# However a program ends under the full screen: its status is its own, the terminal is as it was, its last words are on it.
import os
import signal
import sys
import termios

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *


def ends(what, program, status, words, keys=("c\r",), kill=None, options=("-q",)):
    with Screen(program, options=list(options)) as s:
        for k in keys:
            if k.startswith("see "):
                s.see(k[4:])
            else:
                s.keys(k, wait=False)
        if kill:
            s.ready()
            os.kill(s.pid, kill)
        got = s.ended()
        # CPython's own end where a daemon thread has the lock of the stream that is flushed last
        if got == -signal.SIGABRT and "possibly due to daemon threads" in s.after:
            got = status
        is_(got, status, "%s: the status" % what)
        ok(s.sane, "%s: the terminal is as it was" % what, s.after[-300:])
        if words:
            like(s.after, words, "%s: the last words are on it" % what)
        return s


ends("sys.exit", "import atexit, sys\natexit.register(lambda: print('at exit'))\nprint('last')\nsys.exit(5)\n", 5,
     "last\nat exit\n", ["c\r", "see ended with status 5", "quit\r"])
ends("an exception", "print('last')\n1/0\n", 1, "ZeroDivisionError: division by zero",
     ["c\r", "see uncaught exception", "c\r", "see ended with status 1", "quit\r"])
ends("os._exit", "import os\nprint('last', flush=True)\nos._exit(5)\n", 5, "last\n", ["c\r", "see ended with status 5", "quit\r"])
ends("exec", "import os\nprint('last', flush=True)\nos.execv('/bin/sh', ['sh', '-c', 'echo executed; exit 6'])\n", 6,
     "last\nexecuted\n")
ends("SIGSEGV", "import ctypes\nprint('last', flush=True)\nctypes.string_at(0)\n", -signal.SIGSEGV, "last\n")
# CPython 3.14 adds the C stack, which alone fills the screen.
ends("SIGSEGV with faulthandler", "import ctypes, faulthandler, sys\n"
     "faulthandler.enable(**{'c_stack': False} if sys.version_info >= (3, 14) else {})\nctypes.string_at(0)\n",
     -signal.SIGSEGV, "Fatal Python error: Segmentation fault(.|\n)*string_at")
ends("abort", "import os\nprint('last', flush=True)\nos.abort()\n", -signal.SIGABRT, "last\n")
ends("a stack overflow", "import ctypes\nprint('last', flush=True)\n"
     "ctypes.CDLL(None).regcomp(ctypes.create_string_buffer(4096), b'(' * 10**6, 1)\n", -signal.SIGSEGV, "last\n")
ends("SIGTERM from itself", "import os, time\nprint('last', flush=True)\nos.kill(os.getpid(), 15)\ntime.sleep(60)\n",
     -signal.SIGTERM, "last\n")
ends("SIGTERM while it runs", "import time\nprint('la' 'st', flush=True)\ntime.sleep(600)\n", -signal.SIGTERM, "last\n",
     ["c\r", "see last"], signal.SIGTERM)
ends("SIGTERM at a stop", "pass\n", -signal.SIGTERM, None, [], signal.SIGTERM)
ends("SIGHUP at a stop", "pass\n", -signal.SIGHUP, None, [], signal.SIGHUP)
ends("quit", "print('never')\n", 0, None, ["quit\r", "see y or n", "y\r"])
ends("Ctrl-D", "print('never')\n", 0, None, ["\x04", "see y or n", "y\r"])
ends("detach", "import sys\nprint('last')\nsys.exit(3)\n", 3, "last\n", ["detach\r"])
# They do not print: CPython aborts where a daemon thread has the lock of sys.stdout when the program ends.
ends("daemon threads that write", "import os, sys, threading, time\ndef noise():\n    while True:\n"
     "        os.write(1, b'n' * 60 + b'\\n')\nfor i in range(2):\n"
     "    threading.Thread(target=noise, daemon=True).start()\ntime.sleep(0.1)\nsys.exit(5)\n", 5,
     "n{60}\n", ["c\r", "see ended with status 5", "quit\r"])
flood = ("import ctypes, os, threading, time\ndef noise():\n    while True:\n        os.write(1, b'n' * 63 + b'\\n')\n"
         "threading.Thread(target=noise, daemon=True).start()\ntime.sleep(0.1)\n")
s = ends("SIGSEGV in a flood of output", flood + "ctypes.string_at(0)\n", -signal.SIGSEGV, "n{63}\n")
unlike(s.after[20:], r"\x1b\[\d+;\d+H", "SIGSEGV in a flood of output: nothing is drawn after the restore")

# the program keeps a SIGTERM handler of its own
ends("SIGTERM that the program handles", "import os, signal, sys\nsignal.signal(15, lambda *a: sys.exit(9))\n"
     "os.kill(os.getpid(), 15)\nimport time\ntime.sleep(60)\n", 9, None, ["c\r", "see ended with status 9", "quit\r"])

ends("SIGTERM at its default again", "import os, signal, time\nsignal.signal(15, lambda *a: 0)\nos.kill(os.getpid(), 15)\n"
     "signal.signal(15, signal.SIG_DFL)\nprint('last', flush=True)\nos.kill(os.getpid(), 15)\ntime.sleep(60)\n",
     -signal.SIGTERM, "last\n")

with Screen("import time\nprint('la' 'st', flush=True)\ntime.sleep(600)\n", options=["-q", "-ex", "set watchdog on"]) as s:
    s.line("c", wait=False).see("last")
    os.kill(s.pid, signal.SIGKILL)
    is_(s.ended(), -signal.SIGKILL, "SIGKILL")
    s.until(lambda: s.sane, "the watchdog restores the terminal")
    ok(s.sane, "SIGKILL: set watchdog on, and the terminal is as it was")

KILL = "!__import__('os').kill(__import__('os').getpid(), 9)"
with Screen("pass\n", options=["-q", "-ex", "set watchdog on", "-ex", KILL], wait=False) as s:
    is_(s.ended(), -signal.SIGKILL, "SIGKILL right after set watchdog on")
    s.until(lambda: s.sane, "the watchdog restores the terminal")
    ok(s.sane, "SIGKILL right after set watchdog on: the terminal is as it was")

with Screen("import time\nwhile True:\n    time.sleep(0.01)\n", options=["-q"]) as s:
    s.line("c", wait=False)
    os.close(s.fd)
    os.close(s.slave)
    s.fd = s.slave = os.open("/dev/null", os.O_RDWR)
    is_(s.ended(), -signal.SIGHUP, "the terminal hangs up: the program ends as by SIGHUP")
    s.slave = os.dup(s.fd)

with Screen(None, command=["bash", "--norc", "-i"], env={"PS1": "SH$ ", "TERM": "xterm-256color"}, wait=False) as s:
    s.see("SH$")
    program = script("x = 1\ny = 2\n", "p.py")
    s.line(" ".join([interpreter(), "-m", "cdbg", "-q", program]), wait=False).see("stopped: start")
    s.keys("half\x1a", wait=False).see("Stopped")
    ok(s.raw.rfind(b"\x1b[?1049l") > s.raw.rfind(b"\x1b[?1049h"), "Ctrl-Z leaves the screen and suspends")
    before = len(s.raw)
    s.keys("stty -a; echo the${x}end\r", wait=False).until(lambda: b"theend" in s.raw[before:], "stty")
    ok(b" icanon" in s.raw[before:] and b"-icanon" not in s.raw[before:], "the shell has the terminal as it was",
       s.raw[before:])
    s.keys("fg\r", wait=False).see("stopped: start", "(cdbg) half")
    like(s.text, r"\(cdbg\) half", "fg comes back, with the half-typed line")
    mode = termios.tcgetattr(s.slave)[3]
    ok(not mode & termios.ICANON and not mode & termios.ECHO, "and has its keys one by one again")
    s.keys("\x15quit\r", wait=False).see("y or n")
    s.keys("y\r", wait=False).until(lambda: s.text.rstrip().endswith("SH$") or "SH$" in s.text.split("\n")[-1] or
                                  s.raw.rstrip().endswith(b"SH$"), "the shell again")
    before = len(s.raw)
    s.keys("stty -a; echo the${x}end\r", wait=False).until(lambda: b"theend" in s.raw[before:], "stty")
    ok(b"-icanon" not in s.raw[before:] and b"-echo " not in s.raw[before:], "and leaves the terminal as it was", s.raw[before:])
done()
