# One function is compiled twice with recompiles kept apart (where torch can): an entry of one is never tried for the other.
# needs: torch
import torch


def scale(t, n):
    return t * n


options = {"backend": "eager", "dynamic": False}
try:
    pair = [torch.compile(scale, isolate_recompiles=True, **options) for turn in range(2)]
except TypeError:
    pair = [torch.compile(scale, **options) for turn in range(2)]
t = torch.ones(3)
for which, n in ((0, 1), (1, 2), (1, 2), (0, 1), (0, 4), (1, 1), (0, 2)):
    print(which, n, pair[which](t, n).tolist())
