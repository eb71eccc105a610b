#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph compare calls no correct function wrong whose result rounding decides, and still finds faults in such functions.  tests/correct.py
compares more of them."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from correct_functions import chosen, compare, grouped, program  # noqa: E402

need_torch()
EAGER = ("var std_mean norm_shift diff_eq layer_norm_c batch_norm_c cdist_mm logsumexp cos_sim2 cancel_sum acos1 atan2_n0 remainder floor_div sign "
         "argmax topk sort eq where_pos half_over bf16_norm denormal rsqrt0 digit uniq").split()
with Cdbg(program(grouped(chosen(EAGER), 13), "aot_eager")) as d:
    for group, answer, wrong in compare(d, grouped(chosen(EAGER), 13)):
        is_(wrong, [], "aot_eager: none is wrong of " + ", ".join([name for name, _ in group]))

# The backend is right for all but one operation, which is wrong by more than rounding, or at elements that rounding does not decide.
PROGRAM = """
    import torch
    from torch._dynamo.backends.common import aot_autograd
    from functorch.compile import make_boxed_func
    torch.set_num_threads(1)
    aten = torch.ops.aten
    def off(op, change):
        def compiler(gm, inputs):
            for n in gm.graph.nodes:
                if n.target in op.overloads() or str(n.target).startswith("aten.%s." % op.__name__):
                    n.target = (lambda f: lambda *a, **k: change(f(*a, **k)))(n.target)
            gm.recompile()
            return make_boxed_func(gm.forward)
        return aot_autograd(fw_compiler=compiler)
    def variance(x, n):
        return (x * 0 + 0.1).var(1)
    def compared(x, n):
        return torch.exp(torch.log(n + 1)) < torch.where(n % 2 == 0, n + 1, n + 2)
    def floored(x, n):
        return torch.floor(n / 7 * 7)
    def signed(x, n):
        return torch.atan2(x * 0, x)
    def at(t, value):
        t = t.clone()
        t.view(-1)[3] = value
        return t
    cases = ((variance, aten.var, lambda t: t + 1e-9), (compared, aten.lt, lambda t: ~t),
             (floored, aten.floor, lambda t: t + 20), (floored, aten.floor, lambda t: at(t, float("nan"))),
             (signed, aten.atan2, lambda t: t + 1e-3), (signed, aten.atan2, lambda t: at(t, 100.0)))
    x, n = torch.linspace(-1, 1, 512).view(8, 64), torch.arange(512.0).view(8, 64)
    for f, op, change in cases:
        torch._dynamo.reset()
        torch.compile(f, backend=off(op, change), dynamic=False)(x, n)
"""
with Cdbg(PROGRAM) as d:
    for name in "variance", "compared", "floored", "signed":
        d.do("break " + name)
    for what in ("a variance of a constant that is off by 1e-9", "a comparison at ties that is inverted", "floor() at ties that is off by 20",
                 "floor() with a NaN", "atan2() at zeros that is off by 1e-3", "atan2() at zeros with one wild element"):
        d.go()
        r = d.do("graph compare")
        ok(any([row["ok"] is False for row in r["rows"]]), "%s is wrong" % what, r["text"][:800])

need_inductor()
INDUCTOR = "var std_mean layer_norm_c group_norm_c lt atan2_0 rsqrt0 complex_angle long_sum long_mean zscore where_eq".split()
with Cdbg(program(grouped(chosen(INDUCTOR), 12), "inductor"), limit=400) as d:
    for group, answer, wrong in compare(d, grouped(chosen(INDUCTOR), 12)):
        is_(wrong, [], "inductor: none is wrong of " + ", ".join([name for name, _ in group]))
done()
