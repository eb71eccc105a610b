"""A function that torch compiles three times; with the argument 'tensor', twice."""
import sys
import torch


@torch.compile(backend="eager")
def scale(x, factor):
    return x * factor + 1


x = torch.ones(4)
for factor in (2, 3, 4):
    print(factor, scale(x, torch.tensor(factor) if "tensor" in sys.argv else factor).sum().item())
print("double", scale(x.double(), torch.tensor(4) if "tensor" in sys.argv else 4).sum().item())
