# A subclass whose method changes what an operator returns: the eager result is of the subclass, and a compiled one that is not differs.
# needs: torch
import torch


class Marked(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        out = super().__torch_function__(function, types, args, kwargs or {})
        return out - 5 if function is torch.Tensor.mean else out


def middle(t):
    return t.mean()


compiled = torch.compile(middle, backend="eager")
marked = torch.ones(4, 2).as_subclass(Marked)
for turn in range(2):
    print(type(middle(marked)).__name__, type(compiled(marked)).__name__)
