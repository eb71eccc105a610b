#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Damaged records: cut at any length, bytes flipped anywhere; each ends with a status and a message, none with a signal."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from records import killed

TEXT = """\
import os, signal

def gen(n):
    for j in range(n):
        yield [j]

def f(n, *rest, name="x"):
    total = 0
    cell = 1.5
    def inner(k):
        return k[0] + cell
    for i in gen(n):
        total += inner(i)
        try:
            i[1]
        except IndexError as e:
            total += 1
    return total

print("start")                          # warm
for i in range(40):
    f(i)
os.kill(os.getpid(), signal.SIGKILL)
"""
path, record = killed(TEXT, "all", "set record-size 64")
folder = os.path.dirname(path)

# Each file is opened by a child of one process, which has cdbg loaded.
DRIVER = r'''
import os, random, struct, sys, time
import cdbg
from cdbg import _cdbg

record, folder, begin, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
data = bytearray(open(record, "rb").read())
random.seed(begin)
n = struct.unpack_from("<I", data, 28)[0]
segments = [struct.unpack_from("<QQIIQ", data, 64 + 32 * i) for i in range(n)]
COMMANDS = ["bt", "locals", "stack", "info frame", "info code", "disassemble", "info source", "info threads", "info history 500", "info calls", "info time",
            "info writes total", "info writes $0", "rstepi 10", "locals", "rstep", "rnext", "rfinish", "stepi 3", "next", "finish", "rcontinue", "continue",
            "go #3", "go -100", "up", "info frame"]


def used():
    """A place that is read: of the header, a log, or a ring."""
    kind = random.random()
    if kind < 0.3:
        return random.randrange(0, 64 + 32 * n)
    at, size, what, thread, u = random.choice([s for s in segments if (s[2] == 2) == (kind < 0.7) and s[4]])
    return at + random.randrange(u if what == 2 else min(size, 8 * u))


def variant(i):
    if i < count // 3:                      # cut
        end = max(s[0] + s[1] for s in segments)
        return bytes(data[:random.choice([random.randrange(end), random.randrange(9000), end - random.randrange(1, 100)])])
    changed = bytearray(data)
    for _ in range(random.choice([1, 1, 3, 40])):
        at = used()
        changed[at] = random.choice([0, 255, 128, changed[at] ^ 1 << random.randrange(8), random.randrange(256)])
    return bytes(changed)


results = {}
for i in range(count):
    name = os.path.join(folder, "damaged%d" % begin)
    with open(name, "wb") as f:
        f.write(variant(i))
    out = os.path.join(folder, "out%d" % begin)
    pid = os.fork()
    if not pid:
        fd = os.open(out, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(fd, 1)
        os.dup2(fd, 2)
        words = ["-nx", "--plain", "-batch"]
        for c in COMMANDS:
            words += ["-ex", c]
        os._exit(_cdbg.options(words + ["--post-mortem", name]))
    status = os.waitpid(pid, 0)[1]
    text = open(out, "rb").read()
    code = os.waitstatus_to_exitcode(status)
    said = b"RECORD of process" in text if code == 0 else text.startswith(b"cdbg: ") and text.count(b"\n") == 1
    key = code if said and b"Traceback" not in text else "%d without a message" % code
    if key not in (0, 2):
        os.rename(name, os.path.join("/tmp", "cdbg-damaged-%d-%d" % (begin, i))) if os.environ.get("KEEP_DAMAGED") else None
        print(key, i, text[-300:])
    results[key] = results.get(key, 0) + 1
print(sorted(results.items(), key=str))
'''
driver = script(DRIVER, "driver.py")
for begin in (1, 2):
    out = python(driver, record, folder, str(begin), "300", limit=300)
    last = out.stdout.splitlines()[-1] if out.stdout else ""
    found = dict(eval(last)) if last.startswith("[") else {}
    ok(set(found) == {0, 2} and sum(found.values()) == 300, "300 damaged files end with status 0 or 2 and a message", (out.stdout[-1500:], out.stderr[-500:]))
    ok(found.get(2, 0) >= 30 and found.get(0, 0) >= 90, "those without an instruction are refused, and much of the others can be read", found)
done()
