# SPDX-License-Identifier: BSD-3-Clause
# A fork in a thread while others run.
import os, threading, time

stop = threading.Event()

def busy():
    n = 0
    while not stop.is_set():
        n += 1
        time.sleep(0.001)

def forker():
    for i in range(5):
        pid = os.fork()
        if not pid:
            os._exit(i)
        print("forked", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)

threads = [threading.Thread(target=busy) for _ in range(2)]
for t in threads:
    t.start()
f = threading.Thread(target=forker)
f.start()
f.join()
stop.set()
for t in threads:
    t.join()
