# SPDX-License-Identifier: BSD-3-Clause
# Assertions and deletions.
import torch


def f(x, n):
    y = x + n
    print("checked")
    assert n < 3, f"too large: {n}"
    z = y * 2
    del y
    print("deleted", n)
    assert z is not None
    return z


for n in 1, 5:
    try:
        print(torch.compile(f, backend="eager")(torch.ones(2), n))
    except AssertionError as e:
        print("AssertionError", e)
