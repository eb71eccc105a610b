# SPDX-License-Identifier: BSD-3-Clause
# Threads that outlive the main one; exceptions and exits in them.
import sys, threading, time

def slow():
    time.sleep(0.05)
    print("slow is done", flush=True)

def exits():
    sys.exit("a thread's exit ends the thread")

def raises():
    raise ValueError("in a thread")

for f in (exits, raises):
    t = threading.Thread(target=f, name=f.__name__)
    t.start()
    t.join()
threading.Thread(target=slow).start()
print("main ends", flush=True)
