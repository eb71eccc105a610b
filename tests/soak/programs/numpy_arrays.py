# SPDX-License-Identifier: BSD-3-Clause
# needs: torch, numpy
# Arrays of numpy next to tensors: shared memory, universal functions, array functions of a class, a compiled function of arrays.
import numpy as np, torch

class Logged(np.ndarray):
    calls = []

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        Logged.calls.append((ufunc.__name__, method))
        return getattr(ufunc, method)(*[np.asarray(x) for x in inputs], **kwargs)

a = np.arange(6, dtype=np.float32).reshape(2, 3)
t = torch.from_numpy(a)
a[0, 0] = 7
print(t[0, 0].item(), np.shares_memory(a, t.numpy()))
x = np.arange(4.0).view(Logged)
print(np.add(x, 1), np.multiply.reduce(x[1:]), Logged.calls)

def f(v):
    w = np.sin(v) ** 2 + np.cos(v) ** 2
    return w.sum(axis=0) * 2

print(np.allclose(torch.compile(f, backend="eager")(a), f(a)))

@torch.compile(backend="eager")
def g(t):
    n = t.numpy().astype(np.int64)
    print("in g", n.dtype)
    return torch.from_numpy(n) + 1

print(g(t))
print(np.vectorize(lambda k: k * k)(np.arange(5)), np.fromfunction(lambda i, j: i - j, (2, 2)))
with np.errstate(divide="call", call=lambda kind, flag: print("errstate", kind, flag)):
    np.float64(1) / np.zeros(1)
r = np.array([1, "a", None], dtype=object)
print(r, sorted(np.array(["b", "a"])), np.frombuffer(b"abcd", np.uint8))
