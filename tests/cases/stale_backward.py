# The backward of an operator changes after the graph is compiled: the compiled gradient is the old one.
# needs: torch
import torch

factor = 3.0


@torch.library.custom_op("cases_stale::same", mutates_args=())
def same(t: torch.Tensor) -> torch.Tensor:
    return t.clone()


@same.register_fake
def _(t):
    return torch.empty_like(t)


same.register_autograd(lambda ctx, grad: grad * factor)


def body(t):
    return torch.ops.cases_stale.same(t) + 1


def gradient(f):
    t = torch.ones(2, requires_grad=True)
    f(t).sum().backward()
    return t.grad.tolist()


compiled = torch.compile(body, backend="aot_eager")
print("eager", gradient(body), "compiled", gradient(compiled))
factor = 7.0
print("eager", gradient(body), "compiled", gradient(compiled))
