# SPDX-License-Identifier: BSD-3-Clause
# Comprehensions of all kinds before and after a break.
import torch


def f(x, n):
    parts = [x * i for i in range(n) if i]
    names = {k: v for k, v in zip("abc", parts)}
    print(sorted(names), {i % 2 for i in range(n)})
    more = [p + q for p in parts for q in parts]
    return sum(more), list(v * 2 for v in names.values()), [[i + k for k in range(i)] for i in range(n)]


print(torch.compile(f, backend="eager")(torch.ones(2), 4))
