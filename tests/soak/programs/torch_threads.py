# SPDX-License-Identifier: BSD-3-Clause
# needs: torch
# Several threads compile and call at once: the same function, functions of their own, and one that resets.
import threading, torch

torch.set_num_threads(1)
barrier = threading.Barrier(4)
results = {}

def shared(x, k):
    y = torch.sin(x) * k
    torch._dynamo.graph_break()
    return (y + 1).sum()

compiled = torch.compile(shared, backend="eager")

def work(n):
    def own(x):
        return torch.relu(x - n) + n
    mine = torch.compile(own, backend="aot_eager")
    barrier.wait()
    got = []
    for k in range(6):
        got.append("%.3f" % compiled(torch.ones(2 + k % 3), k % 2 + n).item())
        got.append("%.3f" % mine(torch.ones(3) * k).sum().item())
    results[n] = got

threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
for n in sorted(results):
    print(n, results[n])
torch._dynamo.reset()
print("%.3f" % compiled(torch.ones(2), 2).item())
