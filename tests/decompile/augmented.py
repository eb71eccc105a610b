# SPDX-License-Identifier: BSD-3-Clause
# Augmented assignments to names, attributes and items.
import torch


class Holder:
    pass


def f(x, h, items):
    x += 1
    h.n = 1
    print("one")
    h.n += 2
    items[0] *= 3
    items[1:] += [4]
    print(h.n, items)
    x @= torch.eye(2)
    h.n **= 2
    return x, h.n, items


print(torch.compile(f, backend="eager")(torch.ones(2, 2), Holder(), [1, 2]))
