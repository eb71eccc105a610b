# The backward of a compiled function is compiled at its first backward(), which the program counts.
# needs: torch
import torch
from torch._dynamo import utils
from torch._dynamo.backends.common import aot_autograd

torch.set_num_threads(1)
made = []


def forward(gm, inputs):
    made.append("forward")
    return gm.forward


def backward(gm, inputs):
    made.append("backward")
    return gm.forward


w = torch.ones(3, requires_grad=True)
loss = torch.compile(lambda x: (x * w).exp().sum(), backend=aot_autograd(fw_compiler=forward, bw_compiler=backward))


@torch._dynamo.disable
def learn(x):
    y = loss(x)
    y.backward()
    return y.detach()


def f(x):
    return learn(x * 2) + 1


c = torch.compile(f, backend="eager")
loss(torch.ones(3))
print(made)
for i in range(2):
    print(round(c(torch.ones(3)).item(), 3), made, w.grad.sum().round().item(), len(utils.get_compilation_metrics()))
