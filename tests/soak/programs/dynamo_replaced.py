# SPDX-License-Identifier: BSD-3-Clause
# needs: torch
# The program replaces torch._dynamo in sys.modules, patches eval_frame, and resets in a guard's comparison.
import sys
import torch
import torch._dynamo as dynamo


def f(x, k):
    y = x * 2
    if k == 1:
        y = y + 1
    return y


g = torch.compile(f, backend="eager")
print(g(torch.ones(2), 1).tolist())
real = sys.modules["torch._dynamo"]


class Stranger:
    def __getattr__(self, name):
        return getattr(real, name)


sys.modules["torch._dynamo"] = Stranger()
print(g(torch.ones(3), 2).tolist())
sys.modules["torch._dynamo"] = real
called = []
convert = real.eval_frame.set_eval_frame


def counted(callback):
    called.append(callback is None)
    return convert(callback)


real.eval_frame.set_eval_frame = counted
print(torch.compile(f, backend="eager", dynamic=False)(torch.ones(4), 3).tolist())
real.eval_frame.set_eval_frame = convert
print(called)


class Odd:
    n = 0

    def __eq__(self, other):
        Odd.n += 1
        if Odd.n == 3:
            dynamo.reset()
        return True

    __hash__ = object.__hash__


def h(x, o):
    return x + 1 if o == 1 else x - 1


c = torch.compile(h, backend="eager")
o = Odd()
print([c(torch.ones(n), o).tolist() for n in (2, 3, 2, 4)])
del sys.modules["torch._dynamo.eval_frame"]
print(g(torch.ones(2), 1).tolist())
