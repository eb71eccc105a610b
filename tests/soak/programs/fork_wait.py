# SPDX-License-Identifier: BSD-3-Clause
# A child that prints and ends with a status of its own.
import os, sys

def child():
    print("child", sum(range(10)))
    sys.stdout.flush()
    os._exit(7)

for i in range(3):
    sys.stdout.flush()
    pid = os.fork()
    if not pid:
        child()
    print("status", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
