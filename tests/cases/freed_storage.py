# A tensor that a graph takes has a storage without memory: what reads its values must not read there.
# needs: torch
import torch

base = torch.ones(64)
part = base[8:40]
base.untyped_storage().resize_(0)


def shape_only(x, p):
    return x * p.shape[0] + torch.ones_like(p).mean()


compiled = torch.compile(shape_only, backend="eager")
for turn in range(2):
    print(compiled(torch.arange(3.0), part).tolist())
