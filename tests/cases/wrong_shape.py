# A buffer that training updates and an embedding that it normalizes: a result whose shape is not the eager one is wrong.
# needs: torch
import torch
from torch.nn.utils import parametrizations

torch.manual_seed(2)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.dense = parametrizations.spectral_norm(torch.nn.Linear(3, 3))
        self.table = torch.nn.Embedding(4, 3, max_norm=1.0)

    def forward(self, x, index):
        return self.dense(x) + self.table(index)


net = Net()


def total(x, index):
    return net(x, index).sum()


compiled = torch.compile(total, backend="aot_eager")
x, index = torch.randn(2, 3), torch.tensor([1, 2])
print("compiled", tuple(compiled(x, index).shape), "eager", tuple(total(x, index).shape))
