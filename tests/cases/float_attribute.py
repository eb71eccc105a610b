# Modules differ by a float attribute that is a key of a dict: a recompile for each, and no remedy about sizes is true.
# needs: torch
import torch

scales = {}


class Scaled(torch.nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.rate = rate
        scales[rate] = torch.full((3,), rate)

    def forward(self, x):
        return x + scales[self.rate]


for rate in (0.5, 1.25, 4.75):
    module = Scaled(rate)
    print(torch.compile(module, backend="eager")(torch.zeros(3)).tolist())
