#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph compare compares gradients through regions of nested_compile_region(), and graphs whose kernels inductor calls from C++."""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()

REGION = """
    import torch
    w = torch.randn(4, 4, requires_grad=True)
    @torch.compiler.nested_compile_region
    def region(x):
        return torch.sin(x @ w) + 1
    def f(x):
        x = torch.tanh(x @ w)
        return region(region(x)) + region(x)
    c = torch.compile(f, backend="aot_eager")
    for i in range(2):
        c(torch.ones(4, 4)).sum().backward()
    """
if not torch_has("torch.compiler.nested_compile_region"):
    skip("gradients through regions are compared", "this version of torch has no nested_compile_region()")
else:
    with Cdbg(REGION, limit=200) as d:
        d.do("break f")
        d.go()
        d.go()
        r = d.do("graph compare -backward")
        unlike(r["text"], "not compared", "gradients through regions are compared")
        is_([(row["ok"], row["reference_diff"] > 0) for row in r["rows"] if row["stage"] == "gradient"], [(True, True)], "... with float64")

if not shutil.which("g++"):
    skip("kernels that C++ calls are not compared", "no g++: inductor cannot compile")
    done()
    sys.exit(0)
folder = tempfile.mkdtemp(prefix="cdbg-t2642-")
with Cdbg("""
    import torch
    import torch._inductor.compile_fx
    known = torch._inductor.lowering.lowerings
    cos = known[torch.ops.aten.cos.default]
    def f(x):
        return torch.sin(x @ x).sum(0)
    def right(x):
        return f(x)
    def wrong(x):                           # in its backward
        return f(x)
    def call(f):
        torch._dynamo.reset()
        c = torch.compile(f, backend="inductor", options={"cpp_wrapper": True})
        for i in range(2):
            c(torch.ones(4, 4, requires_grad=True)).sum().backward()
    call(right)
    known[torch.ops.aten.cos.default] = lambda x: known[torch.ops.aten.mul.Tensor](cos(x), 1.01)
    call(wrong)
    """, env={"TORCHINDUCTOR_CACHE_DIR": folder}, limit=300) as d:
    d.do("break right")
    d.go()
    d.go()
    r = d.cmd("graph compare")
    like(r.get("text", ""), r"^no wrong node found\nnote: kernels of the forward graph were not compared: .*\(cpp_wrapper\)",
         "kernels that C++ calls are not compared, and a note names the reason")
    is_([row["ok"] for row in r.get("rows", ()) if row["stage"] == "result"], [True], "... the results are")
    d.do("break wrong")
    d.go()
    d.go()
    r = d.cmd("graph compare -backward")
    like(r.get("text", ""), r"^no node is wrong by itself.*\n(.*\n)*.*gradients of l_x_ differ from eager; no single node explains it",
         "... and where one is wrong, no other node is named")
    is_([row["stage"] for row in r.get("rows", ()) if row["ok"] is False], ["gradient"], "... but the gradient that it makes wrong")
shutil.rmtree(folder, ignore_errors=True)
done()
