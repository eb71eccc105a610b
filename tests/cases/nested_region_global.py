# A region that is compiled once reads a global that its caller rebinds: the program prints what torch makes of it.
# needs: torch
import torch


class Box:
    def __init__(self, value):
        self.value = value


region = getattr(torch.compiler, "nested_compile_region", lambda f: f)
box = Box(torch.zeros(()))


@region
def double():
    return box.value * 2 + 1


def chain(value):
    global box
    for turn in range(3):
        box = Box(value)
        value = double()
    return value


print("eager", chain(torch.ones(())).item())
try:
    print("compiled", torch.compile(chain, backend="eager", fullgraph=True)(torch.ones(())).item())
except Exception as e:
    print(type(e).__name__)
