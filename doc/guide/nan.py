"""A loss that is NaN from the second step."""
import torch


@torch.compile(backend="eager")
def loss(x, weight):
    score = (x * weight).sum(-1)
    spread = torch.sqrt(score - 2)
    return torch.log(spread + 1).mean()


x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
for weight in (1.0, 0.5):
    print(loss(x, torch.full((2,), weight)).item())
