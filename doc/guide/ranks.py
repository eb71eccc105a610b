"""A job in which one rank alone compiles again, and its compiler waits for the others: a deadlock."""
import os
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as fc

dist.init_process_group("gloo")
rank = dist.get_rank()
scale = 1.0 + rank
compilers = dist.new_group(backend="gloo", group_desc="compilers")


def backend(gm, inputs):
    dist.barrier(group=compilers)  # as a compiler does that shares its decisions
    return gm.forward


@torch.compile(backend=backend)
def loss(x):
    return fc.all_reduce((x.sin() * scale).sum(), "sum", dist.group.WORLD)


for step in range(4):
    rows = 9 if step == 2 and rank == 1 else 8
    loss(torch.ones(rows))
dist.barrier()
os._exit(0)
