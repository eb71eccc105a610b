#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A record that was cut short, by a full disk or a copy that ended: what is whole is read, and what may be missing is said."""
import os
import struct
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from records import killed

TEXT = """\
import os, signal

def f(n):
    total = 0
    for i in range(n):
        total += i
    return total

print("start")                          # warm
f(2000)
os.kill(os.getpid(), signal.SIGKILL)    # it ends
"""
path, record = killed(TEXT, "all", "set record-size 64")
folder = os.path.dirname(path)
data = open(record, "rb").read()
chunk, n = struct.unpack_from("<II", data, 24)
segments = [struct.unpack_from("<QQIIQ", data, 64 + 32 * i) for i in range(n)]
at, size, _, _, head = [s for s in segments if s[2] == 1][0]
logs = [s for s in segments if s[2] == 2]
ok(head > 2 * size // 8 and len(logs) == 1, "the ring was written over more than once", (head, size))
cut = os.path.join(folder, "cut")


def opened(data):
    """The stop that the file has: its line, what is said of the past, the first row of its history."""
    with open(cut, "wb") as f:
        f.write(data)
    with Cdbg(cut, options=("-nx", "--post-mortem")) as d:
        return d.stop["frame"]["line"], d.stop["past"].get("remark"), len(d.rows("info history 100000"))


line, remark, whole = opened(data)
is_((line, remark), (line_of(path, "# it ends"), None), "the whole file has the last instruction, and nothing is said")
# Each file is the header, what was written first, and a part of what came after that.
moved = bytearray(data[:8192])
if at < logs[0][0]:                     # the ring has to come last
    struct.pack_into("<Q", moved, 64 + 32 * segments.index(logs[0]), 8192)
    struct.pack_into("<Q", moved, 64 + 32 * [s[2] for s in segments].index(1), 8192 + logs[0][1])
    moved += data[logs[0][0]:logs[0][0] + logs[0][1]] + data[at:at + size]
else:
    moved = bytearray(data)
ring = len(moved) - size
is_(opened(bytes(moved)), (line, None, whole), "the same with the ring as the last part")
last = (head - 1) // chunk * chunk * 8 % size   # where the chunk with the last instruction is
line, remark, left = opened(bytes(moved[:ring + last + chunk * 8]))
is_(line, line_of(path, "# it ends"), "cut after the last instruction's chunk: that instruction is there")
like(remark, r"^the file was cut: ", "that the file was cut is said")
names = "cut in that chunk: instructions before it are there", "and that later ones may have been lost"
if last:
    line, remark, left = opened(bytes(moved[:ring + last + 16]))
    ok(0 < left < whole and line in (5, 6), names[0], (left, whole, line))
    like(remark, r"^the file was cut: the process may have run on", names[1])
else:
    for name in names:
        skip(name, "it is the first of the ring")
for length, what in ((ring, "no ring"), (ring + 16, "no chunk"), (9000, "no code")):
    with open(cut, "wb") as f:
        f.write(moved[:length])
    status, out, err = run(None, options=["-nx", "--plain", "-batch", "--post-mortem", cut])
    ok(status == 2 and err == "cdbg: %s: this record was cut: what is left has no instruction that can be read\n" % cut,
       "a file with %s is refused" % what, (status, out, err))
done()
