# needs: torch
# Operators that the program itself defines, in each way that torch.library has: 'graph save' writes their definitions.
import math
import torch
from torch import Tensor

torch.set_num_threads(1)
SCALE = 3.0
OFFSETS = [0.5, math.pi]


def helper(x):
    return x * SCALE


@torch.library.custom_op("own::scaled", mutates_args=())
def scaled(x: Tensor, k: float) -> Tensor:
    return helper(x) * k


@scaled.register_fake
def _(x, k):
    return torch.empty_like(x)


def keep(ctx, inputs, output):
    ctx.k = inputs[1]


def backward(ctx, gradient):
    return helper(gradient) * ctx.k, None


scaled.register_autograd(backward, setup_context=keep)


@torch.library.register_vmap("own::scaled")
def scaled_vmap(info, in_dims, x, k):
    return scaled(x, k), in_dims[0]


lib = torch.library.Library("older", "DEF")
lib.define("shifted(Tensor x, float by=1.0) -> Tensor")


@torch.library.impl(lib, "shifted", "CompositeExplicitAutograd")
def shifted_impl(x, by=1.0):
    return x + by + OFFSETS[1]


@torch.library.register_fake("older::shifted")
def shifted_fake(x, by=1.0):
    return x.new_empty(x.shape)


torch.library.define("plain::twice", "(Tensor x) -> Tensor")
torch.library.impl("plain::twice", "cpu", lambda x: helper(x) * 2)
torch.library.register_fake("plain::twice", lambda x: torch.empty_like(x))


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, gradient):
        x, = ctx.saved_tensors
        return 3 * x ** 2 * gradient


@torch.compiler.allow_in_graph
def leaf(x):
    return torch.sin(helper(x))


def f(x, w):
    y = scaled(x, 2.0) @ w
    y = torch.ops.older.shifted(y, 0.25)
    y = torch.ops.plain.twice(y.detach()) + y
    return leaf(Cube.apply(y)).sum()


torch.manual_seed(0)
x, w = torch.randn(3, 4), torch.randn(4, 4, requires_grad=True)
compiled = torch.compile(f, backend="aot_eager")
for _ in range(2):
    compiled(x, w)
print("%.4f" % compiled(x, w))
