# SPDX-License-Identifier: BSD-3-Clause
# Every descriptor from 3 on is closed, then files get the lowest numbers, and are read and written.
import os, tempfile

d = tempfile.mkdtemp()
os.closerange(3, 1024)
files = [open(os.path.join(d, "f%d" % i), "w+") for i in range(80)]
print([f.fileno() for f in files] == list(range(3, 83)))
for i, f in enumerate(files):
    f.write("print(%d)\nquit\n" % i)
    f.flush()

def work(n):
    return n + 1

print(sum(work(i) for i in range(5)))
for i, f in enumerate(files):
    f.seek(0)
    assert f.read() == "print(%d)\nquit\n" % i, i
print("whole")
