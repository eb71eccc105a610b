# The graph gives memory to a parameter without any and frees it again, as fully sharded training does.
# needs: torch
import torch
import torch._inductor.inductor_prims

source = torch.arange(48.0)
held = torch.nn.Parameter(source.clone())
held.untyped_storage().resize_(0)
resize = torch.ops.inductor.resize_storage_bytes_


def gathered(x, parameter, full):
    resize(parameter, 192)
    with torch.no_grad():
        parameter.copy_(full)
    out = x + parameter.mean()
    resize(parameter, 0)
    return out


compiled = torch.compile(gathered, backend="eager")
with torch.no_grad():
    for turn in range(2):
        print(compiled(torch.ones(2), held, source).tolist(), held.untyped_storage().nbytes())
