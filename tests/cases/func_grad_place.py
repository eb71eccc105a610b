# torch.func.grad of a function is compiled: the code is torch's wrapper, and this file has no line of it.
# needs: torch
import torch


def cubes(t):
    return t.pow(3).sum() / 3


slope = torch.compile(torch.func.grad(cubes), backend="eager")
for turn in range(3):
    print(slope(torch.arange(4.0)).tolist())
