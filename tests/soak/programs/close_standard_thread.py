# SPDX-License-Identifier: BSD-3-Clause
# A thread closes descriptors 0 to 2 while the main thread runs, and opens other files with their numbers.
import os
import sys
import threading

out = os.dup(1)
go, done = threading.Event(), threading.Event()


def closer():
    go.wait()
    for fd in 0, 1, 2:
        os.close(fd)
    for fd in 0, 1, 2:
        assert os.open("file%d" % fd, os.O_RDWR | os.O_CREAT) == fd
    done.set()


def work(n):
    total = 0
    for i in range(n):
        total += i
    return total


t = threading.Thread(target=closer)
t.start()
a = work(10)
go.set()
done.wait()
t.join()
b = work(20)
sys.stdout.write("to file 1\n")
sys.stdout.flush()
os.write(out, b"%d %d\n" % (a, b))
for fd in 0, 1, 2:
    with open("file%d" % fd, "rb") as f:
        os.write(out, b"%d: %r\n" % (fd, f.read()))
os.dup2(out, 1)
print("end")
