# needs: torch
# The folder of inductor's cache contains this program, or its name begins as that of this file: the frames are the program's own.
import os

import torch

here = os.path.dirname(os.path.abspath(__file__))


def helper(x):
    return x + 1


def call(x):
    y = helper(x)
    return y


os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.splitext(os.path.abspath(__file__))[0][:-2]
print(call(1))
os.environ["TORCHINDUCTOR_CACHE_DIR"] = here
print(call(2))
compiled = torch.compile(call, backend="eager")
print(compiled(torch.ones(2)).tolist())
