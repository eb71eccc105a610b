#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# graph compare computes large products of matrices in float64 piece by piece, and passes inductor's code its inputs in place where that code
# only reads them.
import os
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_inductor()

# Prints a line "name: answer" for each fact. The files share one namespace, as in cdbg.
PROGRAM = r"""
import ast, sys, torch
sys.path.insert(0, sys.argv[1] + "/tests/lib")
from graph_namespace import graph_namespace
ns = graph_namespace(sys.argv[1])
ns["PIECE"] = 512
aten, wide, product = torch.ops.aten, ns["wide"], ns["product_by_pieces"]
torch.manual_seed(0)
for what, rows, inner, columns in (("many rows", 301, 9, 7), ("a long inner dimension", 9, 301, 7), ("many columns", 9, 7, 301), ("square", 60, 60, 60),
                                   ("no rows", 0, 64, 70), ("no inner dimension", 70, 0, 64)):
    for dtype in (torch.float32, torch.bfloat16, torch.float64):
        a, b, found = torch.randn(rows, inner).to(dtype), torch.randn(inner, columns).to(dtype), []
        for target, args, kwargs in (
                (aten.mm.default, (a, b), {}), (aten.mm.default, (a.t().contiguous().t(), b), {}),
                (aten.addmm.default, (torch.randn(rows, columns).to(dtype), a, b), {}),
                (aten.addmm.default, (torch.randn(columns).to(dtype), a, b), {"beta": 2, "alpha": -0.5}),
                (aten.bmm.default, (torch.randn(20, rows, inner).to(dtype), torch.randn(20, inner, columns).to(dtype)), {}),
                (aten.bmm.default, (a[None], b[None]), {})):
            before = [t.clone() for t in args]
            whole, made = target(*map(wide, args), **kwargs), product(target, args, kwargs, wide)
            if made is None:
                found += ["not cut"] if max(t.numel() for t in args[-2:]) >= 2 * ns["PIECE"] else []
            elif made.dtype != whole.dtype or made.shape != whole.shape or not torch.allclose(made, whole, rtol=1e-12, atol=1e-11):
                found.append(str(target))
            if not all(map(torch.equal, args, before)):
                found.append("written")
        print("%s, %s: %s" % (what, str(dtype)[6:], found or "same"))
print("int: %s" % ("same" if product(aten.mm.default, (torch.ones(300, 9).long(), torch.ones(9, 4).long()), {}, wide) is None else "cut"))
print("sparse: %s" % ("same" if product(aten.mm.default, (torch.ones(300, 9).to_sparse(), torch.ones(9, 4)), {}, wide) is None else "cut"))

SOURCE = '''
def call(self, args):
    {unpack} = args
    args.clear()
    assert_size_stride(arg0_1, (4, ), (1, ))
    buf0 = empty_strided_cpu((4, ), (1, ), torch.float32)
    {body}
    return (buf0, {returned})
'''
KERNELS = {"reads": [False, True], "writes": [True, False]}
def reads(body, unpack="arg0_1, arg1_1", returned="buf0"):
    source = SOURCE.format(body="\n    ".join(body), unpack=unpack, returned=returned)
    function = ast.parse(source).body[0]
    return ns["only_read"](function, KERNELS)
for what, got, wanted in (
        ("a kernel reads one", reads(["reads(arg0_1, buf0)", "del arg0_1", "writes(arg1_1, buf0)"]), [True, False]),
        ("one is returned", reads(["reads(arg0_1, buf0)"], returned="arg0_1"), [True, True]),
        ("reinterpreted and read", reads(["extern_kernels.mm(reinterpret_tensor(arg0_1, (2, 2), (2, 1), 0), arg1_1, out=buf0)"]), [True, True]),
        ("written as out=", reads(["extern_kernels.mm(arg0_1, arg0_1, out=arg1_1)"]), [True, False]),
        ("written as a reinterpreted out=", reads(["extern_kernels.mm(arg0_1, arg0_1, out=reinterpret_tensor(arg1_1, (4, ), (1, ), 0))"]), [True, False]),
        ("used again by another name", reads(["buf1 = arg1_1; del arg1_1", "reads(arg0_1, buf1)"]), [True, False]),
        ("by another name, reinterpreted", reads(["buf1 = reinterpret_tensor(arg1_1, (2, 2), (2, 1), 0)", "reads(arg0_1, buf1)"]), [True, False]),
        ("given to another operation", reads(["buf1 = torch.ops.aten.add_.Tensor(arg1_1, arg0_1)"]), [False, False]),
        ("written in place", reads(["extern_kernels.add_(arg1_1, arg0_1)"]), [False, False]),
        ("in a list", reads(["partition0_args = [arg1_1, buf0]"]), [True, False]),
        ("a single input", reads(["writes(arg0_1, buf0)"], unpack="arg0_1,"), [False])):
    print("%s: %s" % (what, "same" if got == wanted else got))
"""
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "products.py")
    with open(path, "w", encoding="utf-8") as f:
        f.write(PROGRAM)
    r = python(path, top, limit=300)
said = r.stdout.splitlines()
ok(len(said) == 31 and r.returncode == 0, "all cases run", r.stdout[-300:] + r.stderr[-1500:])
for line in said:
    name, _, answer = line.partition(": ")
    is_(answer, "same", name + (": the values of a whole product" if " " in name and "float" in name else ": as it has to be"))

# programs whose compiled code writes its inputs: what the program holds stays as it is
with Cdbg("""
    import torch
    torch.set_num_threads(1)
    def f(x, w, kept):
        x[:, :2] = 1
        h = (x @ w).relu()
        kept.mul_(0.5).add_(h.detach().mean(0))
        return torch.softmax(h @ w.t(), -1) * x
    torch.manual_seed(0)
    x, w, kept = torch.randn(40000, 16), torch.randn(16, 16, requires_grad=True), torch.zeros(16)
    c = torch.compile(f, backend="inductor")
    for i in range(2):
        c(x, w, kept).sum().backward()
    print("done")
    """, limit=300) as d:
    d.do("break f")
    d.go()
    d.go()
    shown = "print [float(t.detach().double().sum()) for t in (x, w, w.grad, kept)], [t._version for t in (x, w, kept)]"
    before = d.text(shown)
    for line in ("graph compare", "graph compare -backward", "graph run post-grad", "graph recompile -backward"):
        ok(d.cmd(line)["ok"], "a graph that writes its inputs: %s" % line)
        is_(d.text(shown), before, "... and the program's tensors are as before")
    d.do("delete")
    d.go()
    is_(d.out, "done\n", "the program continues")
done()
