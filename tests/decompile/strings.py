# SPDX-License-Identifier: BSD-3-Clause
# Formatted strings, and constants that need care.
import torch


def f(x, n):
    name = f"{n:>4}|{n!r}|{{}}|{n + 1:{n}}"
    print(name, "it's \"quoted\"", b"\x00\xff", -0.0, 1e300, ..., (1,), "\u20ac")
    y = x * float("inf") if n > 100 else x * -1
    print(f"{y.shape[0]=}")
    return y, name.strip(), {"a": (1, (2,))}


print(torch.compile(f, backend="eager")(torch.ones(2), 5))
