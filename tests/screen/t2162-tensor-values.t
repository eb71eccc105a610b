#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Small tensors on the CPU are shown with their values; nothing runs for it, and nothing is changed.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
PROG = script("""
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.overrides import TorchFunctionMode
    from torch.utils._python_dispatch import TorchDispatchMode

    asked = []


    class Spy(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            asked.append(func)
            return func(*args, **(kwargs or {}))


    class Dispatched(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            asked.append(func)
            return func(*args, **(kwargs or {}))


    class Sub(torch.Tensor):
        pass


    def under(wrapped):
        return wrapped.sum()                                  # under a transform


    def f():
        flag = torch.tensor(True)
        three = torch.tensor([1.0, 2, 3])
        matrix = torch.tensor([[1, -2], [3, 4]])
        turned = matrix.t()
        part = three[1:]
        same = three[:1].expand(3)
        odd = torch.tensor([1e-7, float("nan"), float("-inf")], dtype=torch.float64)
        half = torch.tensor([0.5, -2], dtype=torch.float16)
        brain = torch.tensor(1.5, dtype=torch.bfloat16)
        small = torch.tensor(-5, dtype=torch.int8)
        byte = torch.tensor([255], dtype=torch.uint8)
        both = torch.tensor(1.5 - 2j)
        weight = torch.nn.Parameter(torch.ones(2))
        lazy = torch._lazy_clone(three)
        with torch.inference_mode():
            inference = torch.ones(2)
        # no values of these
        five = torch.zeros(5)
        none = torch.zeros(0)
        meta = torch.ones(3, device="meta")
        fake = FakeTensorMode().from_tensor(torch.ones(2))
        functional = torch._to_functional_tensor(torch.ones(2))
        sub = torch.ones(2).as_subclass(Sub)
        conjugate = torch.tensor([1 + 2j]).conj()
        negative = torch._neg_view(torch.ones(2))
        sparse = torch.eye(2).to_sparse()
        gone = torch.ones(2)
        gone.untyped_storage().resize_(0)
        counts = [three._version, matrix._version, weight.grad_fn]
        torch.func.vmap(under)(torch.ones(2, 3))
        del asked[:]
        with Spy(), Dispatched():
            here = len(asked)
        print("asked", asked, torch._C._is_cow_tensor(lazy), counts == [three._version, matrix._version, weight.grad_fn])
        three.add_(1)
        return three                                          # at the end


    f()
""", "values.py")
END = [i for i, line in enumerate(open(PROG), 1) if "# at the end" in line][0]
SHOWN = {
    "flag": "bool[] cpu True", "three": "f32[3] cpu [1, 2, 3]", "matrix": "i64[2,2] cpu [[1, -2], [3, 4]]",
    "turned": "i64[2,2] cpu [[1, 3], [-2, 4]]", "part": "f32[2] cpu [2, 3]", "same": "f32[3] cpu [1, 1, 1]",
    "odd": "f64[3] cpu [1e-07, nan, -inf]", "half": "f16[2] cpu [0.5, -2]", "brain": "bf16[] cpu 1.5", "small": "i8[] cpu -5",
    "byte": "u8[1] cpu [255]", "both": "c64[] cpu 1.5-2j", "weight": "f32[2] cpu grad [1, 1]", "lazy": "f32[3] cpu [1, 2, 3]",
    "inference": "f32[2] cpu [1, 1]",
    "five": "f32[5] cpu", "none": "f32[0] cpu", "meta": "f32[3] meta", "fake": "fake f32[2] cpu",
    "functional": "f32[2] cpu", "sub": "Sub f32[2] cpu", "conjugate": "c64[1] cpu", "negative": "f32[2] cpu",
    "sparse": "f32[2,2] cpu", "gone": "f32[2] cpu storage freed",
}

with Cdbg(PROG) as d:
    d.do("break %d" % d.line_of("# under a transform"))
    d.do("break %d" % d.line_of("here = len(asked)"))
    d.do("break %d" % d.line_of("# at the end"))
    d.go()
    is_({r["name"]: r["value"] for r in d.rows("info locals")}["wrapped"], "f32[3] cpu", "a tensor that a transform wraps has no values")
    d.go()
    values = {r["name"]: r["value"] for r in d.rows("info locals")}
    for name, want in SHOWN.items():
        is_(values[name], want, "%s: %s" % (name, want))
    like(d.text("display three"), r"three = f32\[3\] cpu \[1, 2, 3\]", "a display shows them")
    like(d.text("bt"), "values.py", "a backtrace works in a mode")
    d.do("set tensor-values off")
    is_({r["name"]: r["value"] for r in d.rows("info locals")}["three"], "f32[3] cpu", "set tensor-values off shows none")
    d.do("set tensor-values on")
    d.do("delete 2")
    d.go()
    is_({r["name"]: r["value"] for r in d.rows("info locals")}["three"], "f32[3] cpu [2, 3, 4]", "the values are those of now")
    d.do("delete")
    d.run_out()
    like(d.out, r"^asked \[\] True True$", "no function, no operator was called; a lazy copy stays lazy; versions are the same")

out = run(PROG, commands=["break values.py:%d" % END, "continue", "info locals"])[1]
like(out, r"^three += f32\[3\] cpu \[2, 3, 4\]$", "the plain front end shows them, too")

for rows, cols in ((24, 80), (40, 120), (60, 200)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROG, rows=rows, cols=cols, options=["-q"]) as s:
        s.line("break values.py:%d" % END)
        s.line("continue", wait=False).see("stopped: breakpoint").ready().line("focus locals")
        for _ in range(40):
            if "three" not in s.at:
                s.keys("j")
        like(s.at, r"three +f32\[3\] cpu \[2, 3, 4\]", size + "the locals pane shows the values")
        s.keys("i").keys("\x1b").line("focus stack")
        like(s.text, r"0  ?f32\[3\] cpu \[2, 3, 4\]  Tensor", size + "and so does the stack, in full in the detail line")
done()
