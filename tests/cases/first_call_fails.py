# torch checks the first call of compiled code and raises: a run by cdbg before it is not the first call.
# needs: torch
import torch
import torch._functorch.config as config

if hasattr(config, "error_on_custom_op_aliasing"):
    config.error_on_custom_op_aliasing = True
lib = torch.library.Library("fails", "DEF")
lib.define("same(Tensor x) -> Tensor")
lib.impl("same", lambda x: x.view(-1), "CPU")
lib.impl("same", lambda x: x.new_empty(x.numel()), "Meta")


def f(x):
    return torch.ops.fails.same(x) + 1


c = torch.compile(f, backend="aot_eager")
for i in range(2):
    try:
        print(c(torch.ones(3)).sum().item())
    except RuntimeError as e:
        print("the first call raises" if i == 0 else "raised again", type(e).__name__)
