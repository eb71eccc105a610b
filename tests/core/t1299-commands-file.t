#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Commands from a file that the program reads, moves and writes, too: each line is taken once, by whom it is for."""
import os
import re
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402

# cdbg keeps text of a file only if that was not changed for some seconds: the program begins when that is so.
PROG = """
    import os, sys, time
    while time.time() < os.fstat(0).st_ctime + 4:
        time.sleep(0.05)
    def f(n):
        return n
    def read():
        line = b""
        while not line.endswith(b"\\n"):
            line += os.read(0, 1)
        print("program read", line)
    def write(old, new):
        with open(sys.argv[1], "r+b") as file:
            text = file.read()
            file.seek(text.index(old))
            file.write(new)
    f(1)
    %s
    f(2)
    %s
    f(3)
    print("program ended")
"""


def session(text, between="pass", after="pass"):
    """What is printed where the commands of a file are obeyed."""
    path = os.path.join(os.path.dirname(script("pass\n")), "commands")
    with open(path, "w") as f:
        f.write(text)
    with open(path) as f:
        proc = subprocess.run(cdbgtest.argv("-m", "cdbg", "--plain", "-nx", "-q", script(PROG % (between, after)), path), stdin=f,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=cdbgtest.environment(),
                              timeout=60 * cdbgtest.PATIENCE)
    return [line for line in proc.stdout.splitlines() if re.match(r"'|program|\d+$|error|\[", line)]


BEGIN = "break f\ncontinue\n"

is_(session(BEGIN + "print 'one'\ncontinue\nfor the program\nprint 'two'\nprint 'three'\ncontinue\n", "read()"),
    ["'one'", "program read b'for the program\\n'", "'two'", "'three'", "program ended"],
    "a line that the program reads is not taken as a command, the next one is")
is_(session(BEGIN + "print 'one'\ncontinue\nprint 'passed'\nprint 'two'\ncontinue\n", "os.lseek(0, len(\"print 'passed'\\n\"), 1)"),
    ["'one'", "'two'", "program ended"], "a line that the program passes over is not obeyed")
is_(session(BEGIN + "print 'one'\ncontinue\nprint 'two'\ncontinue\n", "pass", "os.lseek(0, %d, 0)" % len(BEGIN))[:4],
    ["'one'", "'two'", "'one'", "program ended"], "a program that moves back has lines obeyed again")
is_(session(BEGIN + "print 'one'\ncontinue\nprint 'old'\nprint 'two'\ncontinue\n", "write(b'old', b'new')"),
    ["'one'", "'new'", "'two'", "program ended"], "a line that the program writes over is obeyed as it is then")
is_(session(BEGIN + "print 'one'\ncontinue\nprint 'two'\ncontinue\n", "os.truncate(sys.argv[1], os.lseek(0, 0, 1))"),
    ["'one'", "program ended"], "what the program cuts off is not obeyed")
is_(session(BEGIN + "print 'one'\ncontinue\n", "pass", "open(sys.argv[1], 'a').write(\"print 'added'\\ncontinue\\n\")"),
    ["'one'", "program ended"], "the end of the file is the end of the session")

is_(session(BEGIN + "".join("print %d\n" % n for n in range(200)) + "delete\ncontinue\n"),
    [str(n) for n in range(200)] + ["program ended"], "each of 200 lines is obeyed once, in order")
long = "print '%s'\n" % ("x" * 300)
is_(session(BEGIN + "print 'one'\n" + long + "print 'two'\n" + long + "delete\ncontinue\n"),
    ["'one'", long[6:-1], "'two'", long[6:-1], "program ended"], "lines that are longer than what is read at once")
is_(session(BEGIN + "delete\nprint 'one'\nprint 'last'"), ["'one'", "'last'", "program ended"], "a last line without a newline")
is_(session(BEGIN + "delete\n\n\nprint 'one'\r\nprint 'two'\r\ncontinue\r\n"), ["'one'", "'two'", "program ended"],
    "empty lines and lines that end in a carriage return")

SYSTEM_CALLS = "print [int(n) for n in __import__('re').findall('sysc[rw]: (.*)', open('/proc/self/io').read())]\n"
said = session(BEGIN + "delete\n" + SYSTEM_CALLS + "print 1\n" * 40 + SYSTEM_CALLS)
reads = [int(n) for n in re.findall(r"\[(\d+), ", " ".join(said))]
ok(len(reads) == 2 and reads[1] - reads[0] < 12, "40 lines of a file are read in a few system calls", (reads, said))

done()
