# The code of a method is replaced after its caller is compiled: Dynamo does not guard it, so compiled and eager results differ.
# needs: torch
import torch


def low(self, t):
    return t - 1


def high(self, t):
    return t + 50


class Part:
    work = low


part = Part()


def run(t):
    return part.work(t)


compiled = torch.compile(run, backend="eager")
t = torch.zeros(3)
print(compiled(t).tolist(), run(t).tolist())
Part.work.__code__ = high.__code__
print(compiled(t).tolist(), run(t).tolist())
