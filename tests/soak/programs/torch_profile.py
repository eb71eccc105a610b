# SPDX-License-Identifier: BSD-3-Clause
# needs: torch
# A profiler of the program's own around a compiled function, and torch's profiler with stacks.
import sys, torch
from torch.profiler import ProfilerActivity, profile, record_function

names = []

def inner(x):
    return torch.cos(x) + 1

def f(x):
    y = inner(x)
    torch._dynamo.graph_break()
    return y * 2

def profiler(frame, event, arg):
    if frame.f_code.co_filename == __file__ and event in ("call", "return"):
        names.append((event, frame.f_code.co_name.split("_at_")[0]))

compiled = torch.compile(f, backend="eager")
x = torch.ones(3)
compiled(x)
sys.setprofile(profiler)
compiled(x)
sys.setprofile(None)
print(names)
with profile(activities=[ProfilerActivity.CPU], with_stack=True):  # names of such events are not always UTF-8: not read
    print(compiled(x).sum().item())
with profile(activities=[ProfilerActivity.CPU]) as p:
    with record_function("mine"):
        print(compiled(x).sum().item())
events = {e.key for e in p.key_averages()}
print(sorted(k for k in events if k in ("aten::cos", "aten::mul", "mine")))
print(sys.getprofile())
