# SPDX-License-Identifier: BSD-3-Clause
# Breaks in conditions, in each branch, and in conditional expressions.
import torch


def f(x, n):
    if x.sum() > 0:
        print("positive", n)
        x = x + 1
    elif x.mean() > -5:
        x = x - 1
    else:
        print("far")
    y = x * 2 if x.max() > 1 else x
    return (y + n) if n > 1 and x.min() < 9 or n == 0 else y


for n in 0, 1, 2:
    print(torch.compile(f, backend="eager")(torch.ones(3) * (n - 1), n))
