#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# graph compare takes at most twice the memory that the graph needs, and frees what nothing reads any more.
import os
import shutil
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from peak import needed, taken

need_torch()

PROGRAM = """
    import sys
    import torch
    torch.set_num_threads(1)
    def product(x, w):
        for i in range(3):
            x = torch.tanh(x) @ w
        return x
    def gelu(x, w):
        return torch.nn.functional.gelu(x @ w) @ w
    torch.manual_seed(0)
    x, w = torch.randn(1 << 17, 64), torch.randn(64, 64) / 8
    with torch.no_grad():
        for f in (product, gelu):
            c = torch.compile(f, backend=sys.argv[1])
            c(x, w)
            c(x, w)
    print("done")
    """


def compare(d, what, most):
    d.go()
    d.go()
    need = needed(d)
    before = d.text("print x.double().sum().item(), w.double().sum().item()")
    ok(96 <= need < 100, "%s needs three values of 32 MiB" % what, str(need))
    d.cmd("graph compare with x=x[:64]")        # compiling takes memory of its own
    r, took = taken(d, "graph compare")
    ok(r["ok"] and r["first"] is None and r["rows"], "%s: nothing is wrong" % what, str(r)[-300:])
    ok(took <= most * need, "%s takes at most %.1f times what the graph needs" % (what, most), "%.0f MiB, needs %.0f" % (took, need))
    is_(d.text("print x.double().sum().item(), w.double().sum().item()"), before, "%s: the program's tensors are as before" % what)


with Cdbg(PROGRAM, "eager", limit=200) as d:
    d.do("break product")
    compare(d, "eager", 1.9)
with Cdbg("""
    import torch
    def f(x):
        return x.sum()
    x = torch.ones(1, 64).expand(1 << 23, 64)       # 2.1 GB, but for the memory
    c = torch.compile(f, backend="eager")
    for i in range(2):
        c(x)
    """, limit=200) as d:
    d.do("break f")
    d.go()
    d.go()
    r, took = taken(d, "graph compare")
    ok(r["ok"] and r["rows"] and took < 100, "the sum of an expanded input takes what that holds", (str(r)[-300:], took))
if not shutil.which("g++"):
    skip("what inductor compiles", "no g++: inductor cannot compile")
else:
    with Cdbg(PROGRAM, "inductor", limit=400) as d:
        d.do("break product")
        d.do("break gelu")
        compare(d, "inductor", 2.6)       # compiling takes some more
        # gelu becomes four nodes after inductor's passes; that graph needs four values
        compare(d, "a node that inductor takes apart", 2.9)
done()
