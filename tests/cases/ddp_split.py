# DistributedDataParallel with small buckets: Dynamo's optimizer for it splits the graph, and each part is compiled alone.
# needs: torch, torch.distributed
import os
import sys
import tempfile

import torch
import torch.distributed as dist

if not dist.is_available() or not dist.is_gloo_available():
    sys.exit("no gloo")
folder = tempfile.mkdtemp()
dist.init_process_group("gloo", init_method="file://" + os.path.join(folder, "meet"), rank=0, world_size=1)
torch.manual_seed(5)


class Stack(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(512, 512)
        self.second = torch.nn.Linear(512, 512)
        self.third = torch.nn.Linear(512, 512)

    def forward(self, x):
        x = torch.tanh(self.first(x))
        x = torch.tanh(self.second(x))
        return self.third(x)


stack = Stack()
parallel = torch.nn.parallel.DistributedDataParallel(stack, bucket_cap_mb=1)
step = torch.compile(parallel, backend="aot_eager")
for turn in range(2):
    step(torch.ones(3, 512)).sum().backward()
print("%.2f" % stack.first.weight.grad.abs().sum().item())
dist.destroy_process_group()
for name in os.listdir(folder):
    os.unlink(os.path.join(folder, name))
os.rmdir(folder)
