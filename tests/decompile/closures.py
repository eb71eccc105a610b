# SPDX-License-Identifier: BSD-3-Clause
# Cells, nonlocal variables and functions made in compiled code.
import torch


def f(x, n):
    total = 0

    def add(v, *, by=2):
        nonlocal total
        total += by
        return v * total

    a = add(x)
    print("total", total)
    b = add(x, by=n)
    twice = lambda v: add(add(v))
    print("again", total)
    return a, b, twice(x), total


print(torch.compile(f, backend="eager")(torch.ones(2), 3))
