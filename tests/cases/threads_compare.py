# Threads compile and call all the time: commands that compile at a stop must not make them raise.
# needs: torch
import threading

import torch

torch.set_num_threads(1)
for name, value in (("recompile_limit", 1000), ("accumulated_recompile_limit", 10000), ("automatic_dynamic_shapes", False)):
    setattr(torch._dynamo.config, name, value)
failed = []


def formula(t, n):
    return torch.sigmoid(t) - n


compiled = torch.compile(formula, backend="aot_eager")


def work(rows):
    try:
        for columns in range(1, 9):
            compiled(torch.ones(rows, columns), 0.5)
    except Exception as e:
        failed.append(type(e).__name__)


compiled(torch.zeros(4), 0.5)
threads = [threading.Thread(target=work, args=(rows,)) for rows in (2, 3)]
for thread in threads:
    thread.start()
for turn in range(6):
    compiled(torch.zeros(4), 0.5)
for thread in threads:
    thread.join()
print("failed", failed)
