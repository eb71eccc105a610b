# SPDX-License-Identifier: BSD-3-Clause
# Functions that are inlined, recursive, or break in an inlined call.
import torch


def depth(x, n):
    if n == 0:
        print("bottom")
        return x
    return depth(x + n, n - 1) * 2


def outer(x):
    y = middle(x) + 1
    print("outer")
    return y


def middle(x):
    z = x * 3
    print("middle")
    return z - 1


print(torch.compile(depth, backend="eager")(torch.ones(2), 2))
print(torch.compile(outer, backend="eager")(torch.ones(2)))
