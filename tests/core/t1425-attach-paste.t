#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Keys on an attaching terminal while the program runs and reads none: a long paste holds nothing up, and none of it is lost."""
import os
import re
import select
import subprocess
import sys
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from cdbgtest import argv, environment  # noqa: E402
from attaching import LIMIT, Running, WORK  # noqa: E402

LINES = 20000
PASTE = "".join("print %d\n" % k for k in range(LINES))         # over 200 KB: more than all buffers of a terminal
GATED = WORK.replace("def work(i):\n", "def gate(): pass\ndef work(i):\n    if os.path.exists(END + '.gate'): gate()\n")


def attach(p, before=""):
    words = argv("-m", "cdbg", "-nx", "--plain", "--attach", str(p.pid))
    return Terminal(None, command=["sh", "-c", before + 'exec "$@"', "sh", *words])


def paste(t, text):
    """Whether the terminal takes all of it."""
    data, end = text.encode(), time.monotonic() + LIMIT
    os.set_blocking(t.fd, False)
    while data and time.monotonic() < end:
        readable, writable, _ = select.select([t.fd], [t.fd], [], 1)
        if readable:
            t._more(0.01)
        if writable:
            data = data[os.write(t.fd, data[:4096]):]
    os.set_blocking(t.fd, True)
    return not data


def close_gate(p):
    os.unlink(p.flag + ".gate")


# ---- lines ---------------------------------------------------------------------------------------------------------------
p = Running(GATED)
with attach(p) as t:
    t.expect(r"stopped: interrupt[\s\S]*\(cdbg\) ")
    t.line("continue")
    t.expect(r"continue\n")
    ok(paste(t, PASTE), "a paste of 200 KB while the program runs is taken")
    t.send("\x03")
    ok(t.expect(r"stopped: interrupt"), "and Ctrl-C stops the program then")
    t.hang_up()
    t.proc.wait(LIMIT)
is_(p.proc.poll(), None, "the program is left when the terminal hangs up")

p2 = subprocess.Popen(argv("-m", "cdbg", "-nx", "-p", str(p.pid)), env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                      stderr=subprocess.STDOUT)
more = subprocess.Popen(["sh", "-c", "echo break gate; echo continue; exec cat"], stdin=subprocess.PIPE, stdout=p2.stdin)
p2.stdin.close()
p2.stdin = None
more.stdin.write(PASTE.encode())        # returns when all is in pipes, or was taken
more.stdin.close()
open(p.flag + ".gate", "w").close()
out = p2.communicate(timeout=LIMIT)[0].decode()
like(out, "stopped: breakpoint 1", "lines from a pipe wait for the stop")
is_(re.findall(r"^\d+$", out, re.M), [str(k) for k in range(LINES)], "and all of them are executed, in their order")
is_((p2.returncode, more.wait(LIMIT)), (0, 0), "then the end of the pipe detaches")
close_gate(p)

# ---- keys that a terminal does not have ------------------------------------------------------------------------------------
with attach(p, "stty intr undef susp undef; ") as t:
    t.expect(r"stopped: interrupt[\s\S]*\(cdbg\) ")
    t.send("\0")
    t.line("print 41 + 1")
    ok(t.expect("^42$"), "NUL at the prompt of a terminal without keys for signals is a key")
    unlike(t.text, "\x1b\\[\\?1049l", "which suspends nothing")
    t.line("break gate")
    t.expect(r"breakpoint 1")
    t.line("continue")
    t.expect(r"continue\n")
    t.send("\0")
    t.line("print 6 * 7")
    open(p.flag + ".gate", "w").close()
    t.expect("stopped: (.*)")
    like(t.text[-2000:], "stopped: breakpoint 1", "and while the program runs it interrupts nothing")
    close_gate(p)
    t.line("detach")
    t.ended()
is_(p.end(), ("right 0", 0), "the program's result is right")
done()
