# A function that turns autocast off inside is called under autocast: its stages compute in float32, as its compiled code does.
# needs: torch
import torch

torch.manual_seed(4)
weight = torch.randn(8, 24)


def project(rows):
    with torch.autocast("cpu", enabled=False):
        return rows @ weight


fast = torch.compile(project, backend="aot_eager")
rows = torch.randn(6, 8)
with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
    for turn in range(2):
        out = fast(rows)
        print(turn, tuple(out.shape), out.dtype, "%.3f" % out.abs().sum().item())
