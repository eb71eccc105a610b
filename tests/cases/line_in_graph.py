# A breakpoint on each line of a compiled function stops on that line, though one graph computes several.
# needs: torch
import torch


@torch.compile(backend="eager")
def toy(a, b):
    x = a / (torch.abs(a) + 1)
    y = x + b
    if b.sum() < 0:
        b = b * -1
        z = x * b
        return z + 1
    b = b + 2
    w = x - b
    return w * y


for sign in 1, -1, 1:
    print(toy(torch.ones(3), sign * torch.ones(3)).tolist())
