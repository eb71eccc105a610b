# A fused kernel of inductor makes a NaN: the node, and the line, that make it are neither the first nor the last of the kernel.
# needs: torch
import torch

torch.manual_seed(0)
torch.set_num_threads(1)
rows = torch.linspace(-1, 1, 12).view(3, 4)
weight = torch.linspace(0.5, 1, 16).view(4, 4)


def pointwise(x):
    a = x.sin() * 2
    b = a.log()
    return (b + 1).cos()


def difference(x):
    a = x.abs() * 1e38
    b = a * 1e30
    c = b - b
    return c.sin() + 1


def reused(x):
    h = (x @ weight).view(2, 6)
    y = (h - 3).sqrt()
    return y.sum() + h.mean()


def written(x):
    x.sub_(0.5).log_()
    return x.view(-1)[0] * 2


def trained(x):
    h = x @ weight
    y = torch.where(h > 0, h.log(), h)
    return y.sum() * 2


def branch(x):
    return torch.cond(x.sum() > -9, lambda v: (v * 3).asin() + 1, lambda v: v.cos(), (x,)) * 2


def folded(x):
    rows = torch.nn.functional.embedding(torch.tensor([0, 1, 2]), x)
    low = rows * 3
    return torch.log1p(low) + 2


for function in pointwise, difference, reused, written, trained, branch, folded:
    x = rows.clone().requires_grad_(function is trained)
    if function is trained:
        with torch.no_grad():
            x[1] = 0
    made = torch.compile(function, backend="inductor")(x)
    if x.requires_grad:
        made.backward()
        made = x.grad
    print(function.__name__, made.isnan().sum().item(), made.isinf().sum().item())
