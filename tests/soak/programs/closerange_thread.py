# SPDX-License-Identifier: BSD-3-Clause
# A thread becomes a daemon as they do: fork, setsid, fork, close all descriptors, files on 0 to 2; threads in the last child.
import os, sys, tempfile, threading

path = os.path.join(tempfile.mkdtemp(), "out")

def work(n):
    total = 0
    for i in range(n):
        total += i
    return total

def become():
    if os.fork():
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    os.closerange(0, 4096)
    fd = os.open(path + ".part", os.O_RDWR | os.O_CREAT)
    os.dup2(fd, 1)
    os.dup2(fd, 2)
    more = [os.open("/dev/null", os.O_RDWR) for _ in range(100)]
    out = []
    ts = [threading.Thread(target=lambda k=k: out.append(work(k))) for k in range(5)]
    for t in ts:
        t.start()
    for t in ts:
        t.join()
    os.write(1, ("%r %r %r\n" % (fd, more == list(range(3, 103)), sorted(out))).encode())
    os.rename(path + ".part", path)
    os._exit(0)

t = threading.Thread(target=become)
t.start()
t.join()
while not os.path.exists(path):
    os.sched_yield()
with open(path) as f:
    print(f.read(), end="")
print(work(10))
try:
    os.wait()
except ChildProcessError:
    print("no child")
