# SPDX-License-Identifier: BSD-3-Clause
# Unpacking, slices and stars.
import torch


def f(x, items):
    a, (b, *c), d = x, items, x.shape
    print(len(c), list(d))
    first, *_, last = items
    a, b = b, a
    y = torch.stack([x, x])[1:, ::2]
    print(first, last)
    return a, b, y, [*c, *d], items[-2:][::-1]


print(torch.compile(f, backend="eager")(torch.ones(4), [1, 2, 3]))
