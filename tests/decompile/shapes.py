# SPDX-License-Identifier: BSD-3-Clause
# Recompiles: other shapes, types and values.
import torch


def f(x, k):
    y = x.reshape(-1) * (2 if k == "a" else 3)
    print(x.shape[0], k)
    return y[: x.shape[0]].sum()


c = torch.compile(f, backend="eager")
for n in 2, 3, 4:
    print(c(torch.ones(n, 2), "a"), c(torch.ones(n), "b"), c(torch.ones(n, dtype=torch.int64), "a"))
