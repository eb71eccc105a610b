# SPDX-License-Identifier: BSD-3-Clause
# atexit functions that raise, exit, register more, start threads.
import atexit, sys, threading

def last():
    print("last")

def raises():
    atexit.register(last)
    raise RuntimeError("in atexit")

def exits():
    sys.exit(5)

atexit.register(raises)
atexit.register(exits)
atexit.register(lambda: print("first", threading.active_count()))
print("main")
