#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# catch guard-fail while several threads call the same compiled function: each notes the order in which entries are tried.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = '''
import threading
import torch
torch._dynamo.config.recompile_limit = 64
@torch.compile(backend="eager")
def f(x, n):
    return x * n
f(torch.ones(2), 1)
for r in range(3):
    threads = [threading.Thread(target=f, args=(torch.ones((2,) * (2 + r * 5 + k)), 1)) for k in range(5)]
    for t in threads: t.start()
    for t in threads: t.join()
print("end")
'''

with Cdbg(PROGRAM) as d:
    d.do("catch guard-fail")
    stops = 0
    while d.go()["event"] == "stopped":
        stops += 1
    ok(stops > 10, "threads stop where guards fail, one after the other", stops)
    ok(d.exited, "the program runs to its end")
    is_(d.out, "end\n", "and prints what it always prints")
done()
