# SPDX-License-Identifier: BSD-3-Clause
# A timer that fires all the time, also while the debugger is at work.
import signal, time

ticks = 0

def tick(n, frame):
    global ticks
    ticks += 1

signal.signal(signal.SIGALRM, tick)
signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
total = 0
while ticks < 50:
    total += 1
    time.sleep(0.0005)
signal.setitimer(signal.ITIMER_REAL, 0)
print("ticks", ticks >= 50)
try:
    signal.signal(signal.SIGVTALRM, tick)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.001)
    before = ticks
    while ticks == before:
        pass
    print("virtual")
finally:
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
