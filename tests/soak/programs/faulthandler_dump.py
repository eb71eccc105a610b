# SPDX-License-Identifier: BSD-3-Clause
# The interpreter's own dump of stacks, and its handler of a fatal signal.
import faulthandler, os, signal, sys

def f():
    faulthandler.dump_traceback(sys.stdout.fileno(), all_threads=False)

f()
sys.stdout.flush()
faulthandler.enable()
faulthandler.register(signal.SIGUSR1, all_threads=False)
os.kill(os.getpid(), signal.SIGUSR1)
print(faulthandler.is_enabled())
