# The backward of a block without autocast, in a function under autocast: AOTAutograd computes its gradients with bfloat16, a program that calls
# backward() after the autocast block gets others.
# needs: torch
import torch

torch.manual_seed(5)
weight = torch.randn(12, 12, requires_grad=True)


def squash(rows):
    with torch.autocast("cpu", enabled=False):
        return (rows @ weight).tanh()


compiled = torch.compile(squash, backend="aot_eager")
rows = torch.randn(5, 12, requires_grad=True)
for turn in range(2):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = compiled(rows)
    out.sum().backward()
print("%.1f" % rows.grad.abs().sum().item())
