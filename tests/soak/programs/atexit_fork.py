# SPDX-License-Identifier: BSD-3-Clause
# A fork in an atexit function, whose child has exit functions of its own; another one while a finalizer runs.
import atexit
import os
import sys


def last():
    print("last in", "child" if child else "parent", flush=True)


def forks():
    global child
    print("exit begins", flush=True)
    pid = os.fork()
    if pid == 0:
        child = True
        atexit.register(print, "registered by the child", flush=True)
        sys.exit(4)
    print("child ended with", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


class Late:
    def __del__(self):
        pid = os.fork()
        if pid == 0:
            os.write(1, b"child of a finalizer\n")
            os._exit(5)
        os.write(1, b"finalizer: %d\n" % os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


child = False
atexit.register(last)
atexit.register(forks)
Late()
print("ends", flush=True)
