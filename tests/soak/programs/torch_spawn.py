# SPDX-License-Identifier: BSD-3-Clause
# needs: torch
# torch.multiprocessing: spawned processes with shared tensors, a queue, and one that fails; each compiles.
import signal, torch, torch.multiprocessing as mp

def work(rank, shared, queue):
    step = torch.compile(lambda x: torch.relu(x) + rank, backend="eager")
    shared[rank] = step(torch.ones(3)).sum()
    queue.put((rank, torch._dynamo.utils.counters["frames"]["ok"]))

def fail(rank):
    if rank == 1:
        raise RuntimeError("rank %d" % rank)
    signal.pause()  # until the parent ends it, which it says

if __name__ == "__main__":
    shared = torch.zeros(2).share_memory_()
    queue = mp.get_context("spawn").SimpleQueue()
    mp.spawn(work, args=(shared, queue), nprocs=2)
    print(shared.tolist(), sorted(queue.get() for _ in range(2)))
    try:
        mp.spawn(fail, nprocs=2)
    except Exception as e:
        print(type(e).__name__, str(e).strip().split("\n")[-1])
