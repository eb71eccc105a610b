# SPDX-License-Identifier: BSD-3-Clause
# needs: torch
# A fork inside a compiled function: parent and child go on in it, and both compile afterwards.
import os, sys, torch

torch.set_num_threads(1)

def fork():
    sys.stdout.flush()
    return os.fork()

@torch.compile(backend="eager")
def f(x):
    y = x * 2
    pid = fork()
    z = y + 1 if pid else y - 1
    return z.sum().item(), pid

@torch.compile(backend="eager")
def after(x):
    return torch.relu(x) - 1

value, pid = f(torch.ones(3))
if pid == 0:
    print("child", value, after(torch.ones(2)).tolist(), flush=True)
    os._exit(7)
print("status", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
print("parent", value, after(torch.ones(2)).tolist())
