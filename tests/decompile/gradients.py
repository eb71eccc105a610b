# SPDX-License-Identifier: BSD-3-Clause
# Backward through breaks, and a custom function.
import torch


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2 + ctx.saved_tensors[0]


def f(x):
    y = Double.apply(x).sin()
    print("forward")
    return (y * y).sum()


x = torch.linspace(0, 1, 3, requires_grad=True)
out = torch.compile(f, backend="eager")(x)
out.backward()
print(out, x.grad)
