# SPDX-License-Identifier: BSD-3-Clause
# needs: torch
# Tracers of the program's own in threads, while compiled functions run there.
import sys, threading, torch

lock = threading.Lock()
seen = {}

def leaf(x):
    return x.sum().item()

def f(x):
    y = torch.sin(x) + 1
    print("break in", threading.current_thread().name, flush=True)
    return leaf(y * 2)

compiled = torch.compile(f, backend="eager")

def tracer(frame, event, arg):
    if frame.f_code.co_filename != __file__:
        return None
    with lock:
        key = threading.current_thread().name, event, frame.f_code.co_name.split("_at_")[0]
        seen[key] = seen.get(key, 0) + 1
    return tracer

def work():
    for _ in range(2):
        print("%.4f" % compiled(torch.ones(2)))

compiled(torch.ones(2))
for k in range(3):
    if k == 1:
        threading.settrace(tracer)
    t = threading.Thread(target=work, name="thread %d" % k)
    t.start()
    t.join()
threading.settrace(None)
sys.settrace(tracer)
work()
sys.settrace(None)
work()
for key in sorted(seen):
    print(key, seen[key])
