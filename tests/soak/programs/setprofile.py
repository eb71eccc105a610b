# SPDX-License-Identifier: BSD-3-Clause
# A profiler of the program's own, beside a tracer in a thread.
import sys, threading

calls = []

def profiler(frame, event, arg):
    if frame.f_code.co_filename == __file__:
        calls.append((event, frame.f_code.co_name, getattr(arg, "__name__", None)))

def f(n):
    return len(str(n)) + sum([n])

sys.setprofile(profiler)
f(3)
sys.setprofile(None)
for c in calls:
    print(c)

def in_thread():
    f(4)

seen = []
threading.settrace(lambda fr, ev, arg: seen.append(fr.f_code.co_name))
t = threading.Thread(target=in_thread)
t.start()
t.join()
threading.settrace(None)
print(seen.count("in_thread"), seen.count("f"))
