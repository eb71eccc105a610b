# Variance and standard deviation of values that are all the same: rounding is all that compiled and eager results differ by.
# needs: torch
import torch


def spread(t):
    flat = t * 0 + 0.1
    return flat.var(1), flat.std(1), (flat - flat.mean(1, keepdim=True)).norm(dim=1)


compiled = torch.compile(spread, backend="aot_eager")
for turn in range(2):
    print([part.max().item() < 1e-4 for part in compiled(torch.ones(3, 700))])
