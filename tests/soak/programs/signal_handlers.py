# SPDX-License-Identifier: BSD-3-Clause
# Handlers of the program: nested, raising, replaced, in the middle of everything.
import os, signal

seen = []

def one(n, frame):
    seen.append((n == signal.SIGUSR1, frame.f_code.co_name))
    if len(seen) < 4:
        os.kill(os.getpid(), signal.SIGUSR2)

def two(n, frame):
    seen.append("two")

def run():
    for i in range(3):
        os.kill(os.getpid(), signal.SIGUSR1)

print(signal.signal(signal.SIGUSR1, one))
signal.signal(signal.SIGUSR2, two)
run()
print(seen)

class Stop(Exception):
    pass

def raises(n, frame):
    raise Stop("from a handler")

signal.signal(signal.SIGUSR1, raises)
try:
    run()
except Stop as e:
    print("caught", e)
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler, signal.getsignal(signal.SIGTERM))
