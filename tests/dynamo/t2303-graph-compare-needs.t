#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# graph compare, also -backward, takes at most twice the memory that the graph itself needs, and knows both beforehand.
import os
import shutil
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from peak import taken

need_torch()

PROGRAM = """
    import sys
    import torch
    torch.set_num_threads(1)
    trained = sys.argv[2] == "trained"
    torch.manual_seed(0)
    x, w = torch.randn(1 << 17, 64), torch.randn(64, 64) / 8        # x: 32 MiB
    w.requires_grad_(trained)
    def gelu(x, w):
        return torch.nn.functional.gelu(x @ w) @ w
    def by_hand():
        with torch.enable_grad():
            y = torch.nn.functional.gelu(x @ w) @ w
            return torch.autograd.grad(y, [w], torch.ones_like(y))[0].numel()
    c = torch.compile(gelu, backend=sys.argv[1])
    with torch.set_grad_enabled(trained):
        for i in range(2):
            c(x, w)
    """
MIB, COMPILING = 1 << 20, 24            # MiB that compiling takes for itself


def compare(backend, backward):
    what = "%s%s" % (backend, ", -backward" if backward else "")
    with Cdbg(PROGRAM, backend, "trained" if backward else "not", limit=400) as d:
        d.do("break gelu")
        d.go()
        d.go()
        line = "graph compare" + (" -backward" if backward else "")
        r = d.cmd(line + " with x=x[:64]")      # compiling takes memory of its own
        ok(r["ok"] and r["estimate"] < 8 * MIB, "%s: the estimate is for the values that are given" % what, str(r)[:200])
        own = taken(d, "print by_hand()")[1] if backend == "eager" and backward else None
        r, took = taken(d, line)
        told = "took %.0f MiB, estimate %.0f, the graph needs %.0f" % (took, r["estimate"] / MIB, r["needs"] / MIB)
        ok(r["ok"] and r["first"] is None and r["rows"], "%s: nothing is wrong" % what, str(r)[-300:])
        ok(took <= 2 * r["needs"] / MIB + COMPILING, "%s: it takes at most twice what the graph needs" % what, told)
        ok(abs(took - r["estimate"] / MIB) <= 0.1 * took, "%s: the estimate is within 10 %%" % what, told)
        if own:
            ok(abs(own + 32 - r["needs"] / MIB) < 0.05 * own, "the graph needs its inputs and what it takes by hand",
               "%s, by hand %.0f" % (told, own))


compare("eager", False)
compare("eager", True)
if not shutil.which("g++"):
    skip("what inductor compiles", "no g++: inductor cannot compile")
else:
    compare("inductor", False)
    compare("inductor", True)
done()
