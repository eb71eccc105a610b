# The first call of a function makes its first entry: at a stop of 'catch compile' the entry is there and not gone.
# needs: torch
import torch


def wave(t):
    return (t.cos() + t) * 3


compiled = torch.compile(wave, backend="aot_eager")
print(round(compiled(torch.zeros(4)).sum().item(), 3))
print(round(compiled(torch.zeros(4)).sum().item(), 3))
