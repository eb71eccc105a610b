# A thread counts, in Python and by C functions on one line, while the program stops in another one.
# needs: torch
import sys
import threading
import time
import torch

going, counted, began = True, [0], threading.Event()


def count():
    while going:
        counted[0] += 1; began.set(); time.sleep(0); counted[0] += 1; torch.rand(1)


def f(x):
    return torch.ops.still.passes(x) + 1


def passes(x):
    before = counted[0]
    for i in range(10):
        time.sleep(0.01)                        # without the GIL: the thread could run
    moved.append(counted[0] - before)
    print("moved", counted[0] - before, file=sys.stderr)
    return x.clone()


moved = []
lib = torch.library.Library("still", "DEF")
lib.define("passes(Tensor x) -> Tensor")
lib.impl("passes", passes, "CPU")
lib.impl("passes", lambda x: x.clone(), "Meta")
c = torch.compile(f, backend="aot_eager")
thread = threading.Thread(target=count)
thread.start()
began.wait()
c(torch.ones(3))
going = False
thread.join()
print(moved[-1] > 0, "the thread counted while the program ran")
