# SPDX-License-Identifier: BSD-3-Clause
# Few descriptors, a small stack for threads, no core files.
import os, resource, threading

resource.setrlimit(resource.RLIMIT_NOFILE, (16, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
fds = []
try:
    while True:
        fds.append(os.open("/dev/null", os.O_RDONLY))
except OSError as e:
    print(e.errno, fds)
for fd in fds:
    os.close(fd)
threading.stack_size(256 << 10)
t = threading.Thread(target=lambda: print("small stack"))
t.start()
t.join()
