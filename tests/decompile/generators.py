# SPDX-License-Identifier: BSD-3-Clause
# Generators made and used in compiled code.
import torch


def numbers(n):
    got = yield n
    while got:
        got = yield from inner(got)
    return "end"


def inner(n):
    yield n * 2
    return n - 1


def f(x):
    y = x + sum(v for v in inner(4))
    print("first")
    it = numbers(3)
    y = y + next(it)
    y = y + it.send(1)
    return y, list(i for i in range(3)), sum(v for v in inner(4))


print(torch.compile(f, backend="eager")(torch.ones(2)))
