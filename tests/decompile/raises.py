# SPDX-License-Identifier: BSD-3-Clause
# Exceptions that leave generated code, with their cause and context.
import torch


def f(x, n):
    y = x + 1
    print("before")
    try:
        if n:
            raise ValueError(n)
        y = y * 2
    except ValueError as e:
        print("again")
        raise KeyError("from") from e
    return y


for n in 0, 1:
    try:
        print(torch.compile(f, backend="eager")(torch.ones(2), n))
    except KeyError as e:
        print(repr(e), repr(e.__cause__), repr(e.__context__))
