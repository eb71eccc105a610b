# SPDX-License-Identifier: BSD-3-Clause
# Chained comparisons, identity, membership, and, or and not.
import torch


def f(x, n):
    print("start")
    if 0 < n <= 3 != x.shape[0]:
        x = x + 1
    print(1 < n < 5 and "in" or "out", n not in (2, 3), not n)
    y = x * (1 if n is None else n)
    print(bool(x.sum() > 3 and n) or bool(x.sum() < 1))
    return y, 0 < n < 9, n in [1, n]


for n in 1, 3, 7:
    print(torch.compile(f, backend="eager")(torch.ones(2), n))
