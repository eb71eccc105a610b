#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Command lines from a pipe or a file: read with few system calls, and the program finds what follows a line.
import os, subprocess, sys, tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from cdbgtest import argv, environment

COUNTS = r'''
def calls():
    return int(open("/proc/self/io").read().split("syscr: ")[1].split()[0])
def f():
    a = 0
    begun = calls()
    for i in range(50):
        a += 1
    print("reads", calls() - begun)
f()
'''

READS = r'''
import os, subprocess
def f(k):
    return k
def take(n):
    got = b""
    while len(got) < n:
        got += os.read(0, n - len(got))
    return got.decode()
f(1)
print("program has", take(6))
f(2)
subprocess.run(["dd", "bs=1", "count=6"], stderr=subprocess.DEVNULL)
f(3)
print("program has", take(3))
f(4)
print("program has", repr(os.read(0, 100).decode()))
'''

LINES = ("break f\ncontinue\nprint 'one', k\ncontinue\nHELLO-print 'two', k\nprint 'more'\ncontinue\nCHILD\nprint 'three', k\n"
         "continue\nEND%s\nprint 'four', k\ncontinue\nrest\n" % ("print 'long %s'" % ("x" * 400)))


def command(program):
    return argv("-m", "cdbg", "--plain", "-q", program)


def by_pipe(words, text):
    return subprocess.run(words, env=environment(), input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode()


def by_file(words, text):
    with tempfile.TemporaryFile() as f:
        f.write(text.encode())
        f.seek(0)
        return subprocess.run(words, env=environment(), stdin=f, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode()


def by_slow_pipe(words, text):
    """The writer is still there, so nobody knows what may come."""
    p = subprocess.Popen(words, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    p.stdin.write(text.encode())
    p.stdin.flush()
    while True:
        line = p.stdout.readline().decode()
        if not line or "four" in line:
            break
    p.stdin.close()
    return "four 4\n" + p.stdout.read().decode() if line else "ended"


counts, reads = script(COUNTS), script(READS)
for how, way in (("a pipe", by_pipe), ("a file", by_file)):
    out = way(command(counts), "break f\ncontinue\n" + "next\n" * 120 + "continue\n")
    n = [int(l.split()[1]) for l in out.splitlines() if l.startswith("reads ")]
    ok(n and n[0] < 3 * 104, "%s: a line takes few reads (%s for 102 lines)" % (how, n))
    out = way(command(reads), LINES)
    for part in ("('one', 1)", "program has HELLO-", "('two', 2)", "more", "CHILD", "('three', 3)", "program has END", "long " + "x" * 400,
                 "('four', 4)", "program has 'rest\\n'"):
        ok(part in out, "%s: %s" % (how, part[:30]), out)
out = by_slow_pipe(command(reads), LINES)
like(out, "four 4", "a pipe that can still be written to: the lines are read")
like(out, r"program has 'rest", "and the program finds what follows them")
done()
