# Storages that are freed, too small, given to two tensors, and grown by the graph that reads them.
# needs: torch
import torch
import torch._inductor.inductor_prims


def f(x, whole, part, half):
    torch.ops.inductor.resize_storage_bytes_(whole, 256)
    with torch.no_grad():
        whole.copy_(x)
    r = part * 2 + torch.ones_like(half).sum()
    torch.ops.inductor.resize_storage_bytes_(whole, 0)
    return r


c = torch.compile(f, backend="eager")
whole = torch.arange(64.)
part = whole[8:16]
whole.untyped_storage().resize_(0)
half = torch.arange(64, dtype=torch.bfloat16)
half.untyped_storage().resize_(20)
with torch.no_grad():
    for i in range(2):
        print(c(torch.arange(64.), whole, part, half).tolist(), whole.untyped_storage().nbytes())
