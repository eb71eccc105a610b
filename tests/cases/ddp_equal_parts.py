# DistributedDataParallel: the parts of the split graph have the same text, and the first writes a buffer that the others read.
# needs: torch, torch.distributed
import os
import sys
import tempfile

import torch
import torch.distributed as dist

if not dist.is_available() or not dist.is_gloo_available():
    sys.exit("no gloo")
torch.set_num_threads(1)
folder = tempfile.mkdtemp()
dist.init_process_group("gloo", init_method="file://" + os.path.join(folder, "meet"), rank=0, world_size=1)
torch.manual_seed(7)


class Steps(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Linear(512, 512) for _ in range(3)])
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        self.calls.add_(1)
        for layer in self.layers:
            x = torch.relu(layer(x)) * self.calls
        return x


steps = Steps()
parallel = torch.nn.parallel.DistributedDataParallel(steps, bucket_cap_mb=1)
step = torch.compile(parallel, backend="aot_eager")
for turn in range(2):
    step(torch.ones(2, 512)).sum().backward()
print("%.3g %d" % (steps.layers[0].weight.grad.abs().sum().item(), steps.calls.item()))
dist.destroy_process_group()
for name in os.listdir(folder):
    os.unlink(os.path.join(folder, name))
os.rmdir(folder)
