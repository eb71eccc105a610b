# SPDX-License-Identifier: BSD-3-Clause
# Daemon threads in the middle of Python and C code when the interpreter ends.
import threading, time

def spin():
    n = 0
    while True:
        n = (n + 1) % 1000

def sleeps():
    while True:
        time.sleep(0.001)

for f in (spin, sleeps, spin):
    threading.Thread(target=f, daemon=True).start()
time.sleep(0.02)
print("end")
