# SPDX-License-Identifier: BSD-3-Clause
# Breaks in try, except, else and finally.
import torch


def f(x, n):
    try:
        print("try", n)
        x = x + [1, 2][n]
    except IndexError as e:
        print("caught", e)
        x = x * 3
    else:
        x = x - 1
        print("else")
    finally:
        print("finally")
        x = x + 100
    return x


for n in 0, 1, 2:
    print(torch.compile(f, backend="eager")(torch.ones(2), n))


def after(x, n):
    print("before the try")
    try:
        x = x + [1, 2][n]
    except IndexError:
        x = x * 3
    else:
        x = x - 1
    finally:
        x = x + 100
    return x


for n in 0, 1, 2:
    print(torch.compile(after, backend="eager")(torch.ones(2), n))
