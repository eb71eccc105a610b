# SPDX-License-Identifier: BSD-3-Clause
# What daemons do: fork twice, a new session, all descriptors closed, and then a file is written.
import os, sys, tempfile, time

path = os.path.join(tempfile.mkdtemp(), "daemon")
sys.stdout.flush()
pid = os.fork()
if not pid:
    os.setsid()
    if os.fork():
        os._exit(0)
    os.closerange(3, 512)
    os.umask(0o22)
    with open(path + ".new", "w") as f:
        f.write("fd %d\n" % f.fileno())
    os.rename(path + ".new", path)
    os._exit(0)
os.waitpid(pid, 0)
while not os.path.exists(path):
    time.sleep(0.01)
print(open(path).read(), end="")
