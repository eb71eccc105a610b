# SPDX-License-Identifier: BSD-3-Clause
# The process becomes another program, twice.
import os, sys

n = int(sys.argv[1]) if len(sys.argv) > 1 else 0
print("run", n, flush=True)
if n < 2:
    os.execv(sys.executable, [sys.executable, __file__, str(n + 1)])
