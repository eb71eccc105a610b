# SPDX-License-Identifier: BSD-3-Clause
# needs: torch
# A compiled function forks at its graph break; the child calls it again, compiles another one and ends.
import os
import sys
import torch


def part(x):
    return x + 3


def f(x):
    y = x * 2
    pid = os.fork()
    if pid == 0:
        y = y + 100
    else:
        y = y + os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return y.sum(), pid


g = torch.compile(f, backend="eager")
r, pid = g(torch.ones(2))
if pid == 0:
    print("child", r.item(), torch.compile(part, backend="eager")(torch.zeros(1)).item(), flush=True)
    sys.exit(5)
print("parent", r.item(), torch.compile(part, backend="eager")(torch.zeros(1)).item())
