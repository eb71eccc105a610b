#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How tensors are shown: type, shape, device and a few elements, none of the program's code run for it."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()

PROG = """
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.overrides import TorchFunctionMode

    asked = []


    class Sub(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            asked.append(func)
            return super().__torch_function__(func, types, args, kwargs or {})

        def __repr__(self):
            asked.append("repr")
            return "Sub"


    class Closed(torch.Tensor):
        @staticmethod
        def __new__(cls, inner):
            return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype, dispatch_device=True,
                                                       dispatch_sizes_strides_policy="sizes")

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            asked.append(func)
            return NotImplemented


    class Spy(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            asked.append(func)
            return func(*args, **(kwargs or {}))


    def f():
        plain = torch.zeros(10)
        matrix = torch.zeros(3, 4, dtype=torch.int64)
        scalar = torch.tensor(1.5, dtype=torch.float64)
        flags = torch.zeros(2, dtype=torch.bool)
        leaf = torch.zeros(3, requires_grad=True)
        weight = torch.nn.Parameter(torch.zeros(2, 2))
        meta = torch.zeros(10 ** 6, 10 ** 6, device="meta")
        fake = FakeTensorMode().from_tensor(torch.zeros(5))
        half = torch.zeros(1, dtype=torch.bfloat16)
        sub = torch.zeros(4).as_subclass(Sub)
        closed = Closed(torch.zeros(6))
        layer = torch.nn.Linear(2, 2)
        shape = matrix.shape
        dtype = torch.float16
        device = torch.device("cpu")
        pair = [plain, (matrix, 1)]
        del asked[:]
        with Spy():
            here = len(asked)
        return here, asked


    f()
    del asked[:]
    print("before", len(asked))
    here, seen = f()
    print("asked", len(seen), here)
"""

# Dynamo is not even imported by a program that only imports torch, and looking must not change that.
with Cdbg(PROG) as d:
    d.do("break %d" % d.line_of("here = len(asked)"))
    d.go()
    values = {r["name"]: (r["value"], r["type"]) for r in d.rows("info locals")}
    want = {
        "plain": "f32[10] cpu",
        "matrix": "i64[3,4] cpu",
        "scalar": "f64[] cpu 1.5",
        "flags": "bool[2] cpu [False, False]",
        "leaf": "f32[3] cpu grad [0, 0, 0]",
        "weight": "f32[2,2] cpu grad [[0, 0], [0, 0]]",
        "meta": "f32[1000000,1000000] meta",
        "fake": "fake f32[5] cpu",
        "half": "bf16[1] cpu [0]",
        "sub": "Sub f32[4] cpu",
        "layer": "module Linear",
        "shape": "Size([3,4])",
        "dtype": "torch.float16",
        "device": "cpu",
        "pair": "[f32[10] cpu, (i64[3,4] cpu, 1)]",
    }
    for name in want:
        is_(values[name][0], want[name], "%s is shown as %s" % (name, want[name]))
    like(values["closed"][0], r"^Closed f32\[\?\]", "a class that answers for its tensors' shape is not asked")
    is_(values["weight"][1], "Parameter", "the type is the class's own name")
    is_(d.text("whatis plain"), "Tensor: f32[10] cpu", "whatis shows the summary too")
    is_(d.text("p len(asked)"), "0", "none of the program's classes and modes was asked for any of it")
    is_(d.text("p plain[:2]"), "tensor([0., 0.])", "print shows the tensor itself")
    d.do("!del asked[:]")
    d.do("delete")
    d.run_out()
    is_(d.out.split("\n")[0], "before 0", "the program prints what it always prints")
    like(d.out, r"^asked 0 0$", "and has seen nothing of it")
done()
