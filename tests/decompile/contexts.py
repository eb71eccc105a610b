# SPDX-License-Identifier: BSD-3-Clause
# Breaks in with statements, one in another, and in torch's own contexts.
import torch


import contextlib


@contextlib.contextmanager
def manager(name):
    print("enter", name)
    yield name
    print("exit", name)


def f(x):
    with torch.no_grad():
        y = x * 2
        print("inside", torch.is_grad_enabled())
        with torch.autocast("cpu", enabled=False):
            z = y + 1
            print("deeper")
    with manager("own") as m:
        z = z + len(m)
    return z, torch.is_grad_enabled()


print(torch.compile(f, backend="eager")(torch.ones(2, requires_grad=True)))
