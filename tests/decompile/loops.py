# SPDX-License-Identifier: BSD-3-Clause
# Breaks in loops that are left, continued and run to their else.
import torch


def f(x, n):
    for i in range(n):
        x = x + i
        print("round", i)
        if i == 2:
            break
    else:
        x = x * 10
    while n > 0:
        n -= 1
        if n == 1:
            continue
        x = x - n
        print("while", n)
    return x


for n in 1, 3, 5:
    print(torch.compile(f, backend="eager")(torch.ones(2), n))


def after(x, n):
    print("before the loop")
    for i in range(n):
        if i == 3:
            break
        x = x + i
    else:
        x = x * 10
    while n > 0:
        n -= 1
        if n == 1:
            continue
        x = x - n
    return x


for n in 1, 3, 5:
    print(torch.compile(after, backend="eager")(torch.ones(2), n))
