# SPDX-License-Identifier: BSD-3-Clause
# needs: torch
# Signal handlers, finalizers and a tracer that compile and run compiled functions, in the midst of compiled functions.
import gc, signal, sys, torch

torch._dynamo.config.cache_size_limit = 64
seen = []

def small(x):
    return torch.cos(x) * 2

def big(x):
    y = torch.sin(x)
    for k in range(3):
        y = y + k
        torch._dynamo.graph_break()
        signal.raise_signal(signal.SIGUSR1)
    return y

def handler(number, frame):
    seen.append("handler")
    compiled_small(torch.ones(len(seen)))

class A:
    def __del__(self):
        seen.append("finalizer %.3f" % torch.compile(small, backend="eager")(torch.zeros(1)).item())

def tracer(frame, event, arg):
    if frame.f_code.co_name == "small" and event == "call":
        seen.append("tracer")
        small_again(torch.ones(2))
    return None

compiled_small = torch.compile(small, backend="eager")
small_again = torch.compile(lambda x: x + 1, backend="eager")
compiled_big = torch.compile(big, backend="eager")
signal.signal(signal.SIGUSR1, handler)
print("%.3f" % compiled_big(torch.ones(2)).sum())
print(len(seen))
a = A()
a.me = a
del a
gc.collect()
sys.settrace(tracer)
print("%.3f" % compiled_big(torch.ones(2)).sum())
sys.settrace(None)
print(seen.count("tracer") > 0, [s for s in seen if s[0] == "f"])

@torch.compile(backend="eager")
def sets(x):
    y = x + 1
    sys.settrace(tracer)
    y = y * 2
    sys.settrace(None)
    return y + small(x)

print(sets(torch.ones(2)).tolist())
print("done")
