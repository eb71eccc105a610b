# SPDX-License-Identifier: BSD-3-Clause
# Imports in compiled functions.
import torch


def f(x):
    import math
    from os import path as p, sep
    print(p.basename("a/b"), sep)
    import os.path as q
    y = x * math.floor(2.5)
    print(q is p)
    return y


print(torch.compile(f, backend="eager")(torch.ones(2)))
