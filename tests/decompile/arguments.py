# SPDX-License-Identifier: BSD-3-Clause
# Arguments of all kinds, passed on across a break.
import torch


def f(x, /, n, *rest, scale=2, **kw):
    y = x * scale + n
    print(len(rest), sorted(kw))
    z = g(*rest, y, **kw)
    return z, [y, *rest], {"x": x, **kw}


def g(*args, **kw):
    print("g", len(args), sorted(kw))
    return args[-1] + len(kw)


c = torch.compile(f, backend="eager")
print(c(torch.ones(2), 1))
print(c(torch.ones(2), 1, torch.ones(2), 5, scale=3, a=1, b=2))
