# SPDX-License-Identifier: BSD-3-Clause
# Ctrl-C as the program knows it: caught, and then not.
import os, signal, sys

def wait():
    for i in range(1000000):
        os.kill(os.getpid(), signal.SIGINT)

try:
    wait()
except KeyboardInterrupt as e:
    print("caught", repr(e), sys.exc_info()[0])
print("second", flush=True)
wait()
