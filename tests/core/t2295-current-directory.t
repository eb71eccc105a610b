#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files are named from the current directory, which is not asked for at each step: a program that changes it is noticed."""
import os
import re
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from cdbgtest import argv, environment  # noqa: E402

path = script("""
    import ctypes, os, sys
    here = os.path.dirname(os.path.abspath(__file__))
    fd = os.open(here, os.O_RDONLY)
    def f():
        k = 1
        os.chdir("/")
        k = 2
        os.fchdir(fd)
        k = 3
        os.chdir("/")
        os.chdir(here)
        os.mkdir("below"); os.chdir("below")
        k = 4
        os.rmdir("../below")
        k = 5
        os.chdir(here)
        k = 6
        ctypes.CDLL(None).chdir(b"/")
        k = 7
        return k
    f()
    sys.exit(f.__code__.co_firstlineno)
""")
folder = os.path.dirname(path)


def shown(*commands):
    """The file as it is named where k is set, by the number."""
    proc = subprocess.run(argv("-m", "cdbg", "--plain", "-nx", path), input="\n".join(commands) + "\n", text=True, cwd=folder,
                          env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    return {int(k): name for name, k in re.findall(r"^f at (\S+):\d+\n +\d+ .*k = (\d)$", proc.stdout, re.M)}, proc.stdout


HERE, FULL = os.path.basename(path), path
names, out = shown("tbreak f", "continue", *["next"] * 14)
is_(names.get(1), HERE, "a stop names a file below the current directory without it")
is_(names.get(2), FULL, "after os.chdir() to another directory with it")
is_(names.get(3), HERE, "os.fchdir() is noticed, too")
is_(names.get(4), FULL, "and so are several changes in a row")
is_(names.get(5), FULL, "a current directory that was removed changes nothing")
is_(names.get(6), HERE, "and neither does coming back")
line = open(path).read().split("\n").index("    k = 7") + 1
names, out = shown("tbreak f", "continue", "tbreak %d" % line, "continue", "next")
like(out, r"stopped: breakpoint 2\nf at %s:\d+" % re.escape(FULL), "a change by C code is noticed at the next stop that is not a step's")
names, out = shown("tbreak f", "continue", "!os.chdir('/')", "backtrace", "!os.chdir(here)", "backtrace")
is_(re.findall(r"=> #0 +f at (\S+):", out), [FULL, HERE], "a change by a command is noticed by the next command")
done()
