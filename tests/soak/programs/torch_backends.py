# SPDX-License-Identifier: BSD-3-Clause
# needs: torch
# One function by several backends: breaks, guards that fail, gradients, changed arguments, an exception from inside.
import torch

torch.manual_seed(0)

def helper(x, scale):
    if scale > 2:
        return x * scale
    return x - scale

def f(x, scale, log):
    y = helper(torch.sin(x), scale)
    log.append(scale)
    print("scale", scale)
    z = y @ y.t()
    if z.sum() > 0:
        z = z.relu()
    else:
        z = -z
    return z.mean()

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(4, 8)
        self.second = torch.nn.Linear(8, 2)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return self.second(torch.tanh(self.first(x)))

def bad(x):
    y = x + 1
    raise KeyError(tuple(y.shape))

for backend in ("eager", "aot_eager", "inductor"):
    torch._dynamo.reset()
    compiled, log = torch.compile(f, backend=backend), []
    for n, scale in ((3, 1.0), (3, 3.0), (5, 3.0), (6, 1.0)):
        x = torch.ones(n, 4) * 0.5
        x.requires_grad_()
        out = compiled(x, scale, log)
        out.backward()
        print(backend, "%.4f %.4f" % (out.item(), x.grad.sum().item()))
    print(log)
    torch.manual_seed(1)
    net = Net()
    step = torch.compile(net, backend=backend)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for k in range(3):
        optimizer.zero_grad()
        loss = step(torch.ones(2 + k // 2, 4)).pow(2).sum()
        loss.backward()
        optimizer.step()
        print("%.4f" % loss.item(), net.calls)
    try:
        torch.compile(bad, backend=backend)(torch.ones(2, 2))
    except KeyError as e:
        print("raised", e, e.__traceback__.tb_next is not None)
print(torch._dynamo.utils.counters["frames"]["ok"] > 0)
