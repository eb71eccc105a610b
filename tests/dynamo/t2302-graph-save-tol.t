#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# graph save and graph reduce put the user's tolerances into the program, which also takes them on its command line.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import torch
    from torch._dynamo import register_backend
    @register_backend
    def a_bit_off(gm, inputs):
        def run(*args):
            return tuple(r * (1 + 1e-4) for r in gm.forward(*args))
        return run
    def f(x, w):
        return torch.tanh(x) @ w + 1
    torch.manual_seed(0)
    x, w = torch.randn(8, 8), torch.randn(8, 8, requires_grad=True)
    c = torch.compile(f, backend=a_bit_off)
    for i in range(2):
        c(x, w)
    """


def verdict(file, *words):
    r = python(file, *words, env={"PYTHONPATH": ""}, limit=200)
    return r.returncode, r.stdout + r.stderr


with Cdbg(PROGRAM, limit=200) as d:
    d.do("break f")
    d.go()
    d.go()
    folder = os.path.dirname(d.path)
    files = [os.path.join(folder, name) for name in ("plain.py", "tolerant.py", "strict.py", "reduced.py", "trained.py")]
    plain, tolerant, strict, reduced, trained = files
    like(d.error("graph save %s -tol 1e-3" % plain), "'-tol' expects two numbers", "both tolerances are needed")
    d.do("graph save %s" % plain)
    d.do("graph save %s -tol 1e-3 1e-5" % tolerant)
    d.do("graph save %s -tol 0 0" % strict)
    d.do("graph save %s -backward" % trained)
    like(d.error("graph reduce %s -tol 1e-3 1e-5" % reduced), "does not differ from eager", "graph reduce judges by the tolerances")
    ok(d.cmd("graph reduce %s -tol 1e-5 1e-7" % reduced)["ok"], "... and reduces what they do not allow")
like(open(tolerant).read(), r"tolerances are 0\.001 and 1e-05", "the program's head has the tolerances")
is_(verdict(plain, "eager")[0], 0, "eager is right")
r, out = verdict(strict, "eager")
ok(r == 1 and "WRONG" in out, "tolerances of 0 call the rounding of eager wrong", out)
r, out = verdict(tolerant, "eager", "-tol", "0", "0")
ok(r == 1 and "allowed 0:" in out, "tolerances on the command line replace those in the file", out)
is_(verdict(strict, "eager", "-tol", "1e-4", "1e-5")[0], 0, "... in both directions")
r, out = verdict(tolerant, "-tol", "1e-3", "1e-5", "eager")
ok(r == 0 and "right" in out, "the backend may come last", out)
r, out = verdict(plain, "eager", "-tol", "1e-3")
ok(r == 1 and "expected two numbers after -tol" in out, "a missing tolerance is reported", out)
ok(open(reduced).read().count("-tol") >= 2 and verdict(reduced, "eager")[0] == 0, "what graph reduce writes takes them, too")
r, out = verdict(trained, "eager")
ok(r == 0 and "result 1:" in out and "result 1:" not in verdict(plain, "eager")[1], "graph save -backward compares gradients", out)
done()
