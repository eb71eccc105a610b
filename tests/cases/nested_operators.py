# needs: torch
# What a graph calls is defined in a function, with variables of that function, and by torch.library.triton_op or Library.impl in blocks.
import torch

torch.set_num_threads(1)


def make(space, factor):
    offset = 0.5

    @torch.library.custom_op(space + "::wave", mutates_args=())
    def wave(x: "torch.Tensor") -> torch.Tensor:
        return torch.sin(x) * factor + offset

    @wave.register_fake
    def _(x):
        return torch.empty_like(x)

    @wave.register_kernel("cpu")
    def _(x):
        return torch.sin(x) * factor + offset
    return wave


wave = make("nested", 2.0)

if True:
    kept = torch.library.Library("guarded", "FRAGMENT")
    kept.define("half(Tensor x) -> Tensor")

    def half(x):
        return x / Divisor.value
    kept.impl("half", half, "CompositeImplicitAutograd")


class Divisor:
    value = 2.0


@torch.library.custom_op("own::into", mutates_args=("out",))
def into(x: torch.Tensor, out: torch.Tensor) -> None:
    out.copy_(x + 1)


def f(x):
    y = wave(x)
    out = torch.empty_like(y)
    into(y, out)
    return torch.ops.guarded.half(out)


x = torch.arange(4.0)
compiled = torch.compile(f, backend="eager")
compiled(x)
print(compiled(x).tolist())
