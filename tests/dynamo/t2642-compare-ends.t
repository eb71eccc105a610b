#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph compare judges results in float32 that are computed from bfloat16, gradients through regions of nested_compile_region(), and
graphs whose kernels inductor calls from C++."""
import os
import shutil
import sys
import tempfile
import textwrap

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()

BACKEND = """
    import sys
    import torch
    def scaled(by):
        def backend(gm, inputs):
            return lambda *args: [r * by for r in gm(*args)]
        return backend
    class Rounding(torch.fx.Interpreter):
        def run_node(self, n):
            v = super().run_node(n)
            if n.name == "matmul":
                v[0, 0] += 0.03125          # a unit of the last place of 4.0
            return v
    def rounding(gm, inputs):
        return lambda *args: Rounding(gm).run(*args)
    """
PROGRAM = BACKEND + """
    x = torch.ones(4, 4)
    def narrow(x):
        return (x.bfloat16() @ x.bfloat16()).float().sum()
    def read(x):
        return (x.float() @ x.float()).sum()
    def beside(x):
        return (x @ x).sum(), x.bfloat16() @ x.bfloat16()
    def trained(x):
        return (x.bfloat16() @ x.bfloat16()).float()
    def call(f, backend, *args):
        torch._dynamo.reset()
        c = torch.compile(f, backend=backend)
        for i in range(2):
            c(*args)
    call(narrow, rounding, x)
    call(narrow, scaled(1.03), x)
    call(read, scaled(1.001), x.bfloat16())
    call(beside, scaled(1.001), x)
    call(trained, scaled(1.004), x.clone().requires_grad_())
    call(trained, scaled(1.1), x.clone().requires_grad_())
    """
folder = tempfile.mkdtemp(prefix="cdbg-t2642-")
saved = os.path.join(folder, "saved.py")
with Cdbg(PROGRAM, limit=300) as d:
    def ends(function, stage="result", options=""):
        d.do("delete")
        d.do("break " + function)
        d.go()
        d.go()
        return [r["ok"] for r in d.rows("graph compare" + options) if r["stage"] == stage]
    is_(ends("narrow"), [True], "a result in float32 is as exact as the values in bfloat16 that it is computed from, though eager's is more exact by chance")
    d.do("graph save %s" % saved)
    is_(ends("narrow"), [False], "... one that differs by more than such values are rounded is wrong")
    is_(ends("read"), [False], "what is computed in float32 from an input in bfloat16 is as exact as float32")
    is_(ends("beside"), [False, True], "... and so is a result beside values in bfloat16 that it is not computed from")
    is_(ends("trained", "gradient", " -backward"), [True], "a gradient in float32 is as exact as the values in bfloat16 that it is computed from")
    is_(ends("trained", "gradient", " -backward"), [False], "... one that differs by more is wrong")
for backend, result in ("rounding", "right"), ("scaled(1.03)", "WRONG"):
    start = textwrap.dedent(BACKEND) + "import runpy\ntorch._dynamo.register_backend(%s, name='planted')\n" % backend
    start += "sys.argv = ['saved.py', 'planted']\nrunpy.run_path(%r, run_name='__main__')\n" % saved
    with open(os.path.join(folder, "start.py"), "w") as f:
        f.write(start)
    like(python(f.name).stdout, r"(?m)^result 0: .*: %s$" % result, "a program of graph save finds that %s is %s" % (backend, result))

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
    shutil.rmtree(folder, ignore_errors=True)
    done()
    sys.exit(0)
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
    like(r.get("text", ""), r"^no wrong node found\n.*\nnote: kernels of the forward graph were not compared: .*\(cpp_wrapper\)",
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
