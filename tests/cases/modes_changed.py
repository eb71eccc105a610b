# Torch's modes are others at the end of a function than those in which its graph was captured, and in which its code computed.
# needs: torch
import torch

torch.manual_seed(6)
weight = torch.randn(4, 4)


@torch._dynamo.disable
def aside():
    kind = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32)
    with torch.autocast("cpu", enabled=False):
        inner = torch.is_autocast_enabled("cpu")
    torch.set_default_dtype(kind)
    return inner


def mixed(rows):
    product = rows @ weight
    offset = torch.full((4,), 0.5)
    aside()
    return product + offset


compiled = torch.compile(mixed, backend="aot_eager")
torch.set_default_dtype(torch.float64)
rows = torch.randn(3, 4, dtype=torch.float32)
for turn in range(2):
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        out = compiled(rows)
    print(out.dtype, tuple(out.shape), "%.1f" % out.sum().item())
