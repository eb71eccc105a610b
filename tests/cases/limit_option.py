# A limit of two recompiles is given as an option (where torch can): this limit is reached, not that of all entries.
# needs: torch
import torch


def times(t, n):
    return t * n


try:
    compiled = torch.compile(times, backend="eager", dynamic=False, recompile_limit=2)
except TypeError:
    torch._dynamo.config.recompile_limit = 2
    compiled = torch.compile(times, backend="eager", dynamic=False)
for n in range(1, 6):
    print(compiled(torch.ones(2), n).tolist())
