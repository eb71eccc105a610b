# A function fills a dict at its first call only: the length changes once, so one recompile is all there is.
# needs: torch
import torch

cache = {}


def add_buffer(t):
    if "buffer" not in cache:
        cache["buffer"] = torch.zeros_like(t)
    return t - cache["buffer"]


compiled = torch.compile(add_buffer, backend="eager")
for turn in range(4):
    print(compiled(torch.ones(2)).tolist(), len(cache))
