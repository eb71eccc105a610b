# SPDX-License-Identifier: BSD-3-Clause
# A thread replaces the process while others run, after a child that did the same; descriptors go through.
import os, sys, threading, time

def spin():
    while True:
        sum(range(50))

if len(sys.argv) > 1:
    fd = int(sys.argv[2])
    print("after exec", sys.argv[1], os.read(fd, 100))
    sys.stdout.flush()
    os._exit(int(sys.argv[1]))

r, w = os.pipe()
os.set_inheritable(r, True)
os.write(w, b"first")
for _ in range(2):
    threading.Thread(target=spin, daemon=True).start()

def child():
    pid = os.fork()
    if not pid:
        os.execv(sys.executable, [sys.executable, __file__, "4", str(r)])
    print("child", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    os.write(w, b"second")
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, __file__, "6", str(r)])

t = threading.Thread(target=child)
t.start()
t.join()
print("never")
