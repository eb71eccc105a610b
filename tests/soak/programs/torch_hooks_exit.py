# SPDX-License-Identifier: BSD-3-Clause
# needs: torch
# Hooks of tensors and modules that raise, recompile, fork, change the recursion limit and exit.
import os
import sys
import torch

sys.setrecursionlimit(400)


@torch.compile(backend="eager")
def f(x):
    y = x.sin()
    torch._dynamo.graph_break()
    return y * 2


def raises(grad):
    raise ValueError("hook")


def forks(grad):
    pid = os.fork()
    if pid == 0:
        os._exit(6)
    print("fork", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
    return grad


def compiles(grad):
    torch._dynamo.reset()
    return f(grad.detach())


def ends(grad):
    sys.setrecursionlimit(1000)
    print("hook ends", flush=True)
    sys.exit(7)


def once(hook):
    x = torch.ones(2, requires_grad=True)
    x.register_hook(hook)
    f(x).sum().backward()
    return x.grad


try:
    once(raises)
except ValueError as e:
    print("caught", e)
print([round(v, 4) for v in once(forks).tolist()])
print([round(v, 4) for v in once(compiles).tolist()])
m = torch.nn.Linear(2, 2)
m.register_forward_pre_hook(lambda mod, args: (args[0] * 0,))
with torch.no_grad():
    m.bias.fill_(3)
print(torch.compile(m, backend="eager")(torch.ones(1, 2)).tolist())
once(ends)
