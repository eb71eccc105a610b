"""One function is slow to compile, the other slow to call."""
import torch


@torch.compile(backend="eager")
def deep(x):
    for _ in range(60):
        x = torch.sin(x) + 1
    return x


@torch.compile(backend="eager")
def shifted(x, settings):
    return x + 1 if "shift" in settings else x


settings = ["shift = yes"] + ["# nothing"] * 500_000
x = deep(torch.zeros(4))
for _ in range(2):
    x = shifted(x, "\n".join(settings))
print(round(x.sum().item(), 3))
