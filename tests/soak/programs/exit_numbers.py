# SPDX-License-Identifier: BSD-3-Clause
# Odd statuses, each in a child.
import os, sys

for status in (None, 0, 1, 255, 256, -1, 2**70, True, 1.5, [], ""):
    sys.stdout.flush()
    pid = os.fork()
    if not pid:
        sys.exit(status)
    print(repr(status), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
sys.exit(300)
