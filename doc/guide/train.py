"""A training that becomes slow: the model counts its steps in an attribute."""
import time
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 1)
        self.steps = 0

    @torch.compile(backend="eager")
    def loss(self, x):
        return self.linear(x).square().mean() / (1 + self.steps)


model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
end = time.monotonic() + 300
while time.monotonic() < end:
    optimizer.zero_grad()
    model.loss(torch.ones(8, 4)).backward()
    optimizer.step()
    model.steps += 1
