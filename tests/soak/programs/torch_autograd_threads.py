# SPDX-License-Identifier: BSD-3-Clause
# needs: torch
# Backward passes from several threads: Python functions of autograd, hooks, an exception from a hook, checkpoints.
import threading, torch
from torch.utils.checkpoint import checkpoint

torch.set_num_threads(1)

class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2 + x * 0

def f(x):
    return Double.apply(torch.sin(x)).sum()

compiled = torch.compile(f, backend="aot_eager")
out = {}

def work(n):
    x = torch.full((3,), n / 10, requires_grad=True)
    x.register_hook(lambda g: g * (n + 1))
    (compiled(x) + f(x)).backward()
    y = torch.ones(2, requires_grad=True)
    checkpoint(lambda v: (v * v).exp(), y, use_reentrant=False).sum().backward()
    out[n] = ["%.4f" % g for g in x.grad.tolist() + y.grad.tolist()]

threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
for t in threads:
    t.start()
for t in threads:
    t.join()
for n in sorted(out):
    print(n, out[n])

def bad(grad):
    raise ZeroDivisionError("hook")

x = torch.ones(1, requires_grad=True)
x.register_hook(bad)
try:
    compiled(x).backward()
except ZeroDivisionError as e:
    print("raised", e)
with torch.autograd.detect_anomaly(check_nan=True):
    z = torch.zeros(1, requires_grad=True)
    try:
        (torch.sqrt(z) * 0).sum().backward()
    except RuntimeError as e:
        print("RuntimeError", str(e).split("'")[1])
