# Hooks for saved tensors count their calls: commands that run a graph or its backward must not call them.
# needs: torch
import torch

packed = []
unpacked = []
weight = torch.nn.Parameter(torch.linspace(0.5, 2.0, 5))


def pack(t):
    packed.append(tuple(t.shape))
    return t.detach().clone()


def unpack(t):
    unpacked.append(tuple(t.shape))
    return t


def loss(x):
    return (x * weight).sin().pow(2).sum()


compiled = torch.compile(loss, backend="aot_eager")
for turn in range(3):
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        compiled(torch.ones(5)).backward()
print(len(packed), len(unpacked), "%.4f" % weight.grad.sum().item())
