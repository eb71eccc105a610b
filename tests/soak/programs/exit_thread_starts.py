# SPDX-License-Identifier: BSD-3-Clause
# Threads that start while the program ends: in atexit, in a finalizer, in another thread after the main one.
import atexit, os, sys, threading, time

def late(name):
    def run():
        x = [name] * 3
        sys.stdout.write("%s runs\n" % x[0])
        sys.stdout.flush()
    return run

@atexit.register
def second():
    t = threading.Thread(target=late("atexit"))
    try:
        t.start()
        t.join()
    except RuntimeError as e:
        print("RuntimeError", type(e) is RuntimeError)

class Node:
    def __del__(self):
        try:
            t = threading.Thread(target=late("finalizer"), daemon=True)
            t.start()
        except BaseException as e:
            os.write(1, b"finalizer: %s\n" % type(e).__name__.encode())
node = Node()
del node
time.sleep(0.2)

def after_main():
    threading.main_thread().join()
    t = threading.Thread(target=late("after main"))
    try:
        t.start()
        t.join()
    except RuntimeError:
        sys.stdout.write("refused\n")
    raise SystemExit(5)
threading.Thread(target=after_main).start()
print("main ends")
