# An input is freed, and another cut short, after the graph has read them: a run of the graph by a command must not end the process.
# needs: torch
import torch


@torch._dynamo.disable
def free(p, q):
    p.untyped_storage().resize_(0)
    q.untyped_storage().resize_(40)


def f(x, p, q):
    y = x * 2 + p.sum() + q.sum()
    free(p, q)
    return y + 1


c = torch.compile(f, backend="aot_eager")
x = torch.ones(3)
for i in range(2):
    print(c(x, torch.arange(1000.), torch.arange(500.)).tolist())
