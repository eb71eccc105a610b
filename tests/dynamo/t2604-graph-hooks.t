#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Graphs with hooks on gradients, and graphs whose result is a nested tensor: run, compared with gradients, saved."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
PROGRAM = """
    import torch
    torch.manual_seed(0)
    w = torch.randn(4, 4, requires_grad=True)
    def hooked(x):
        h = x @ w
        h.register_hook(lambda g: g * 3)
        return h.sin()
    def nested(v, offsets):
        n = torch.nested.nested_tensor_from_jagged(v, offsets)
        return (n * 2).sin()
    x, v = torch.randn(4, 4), torch.randn(6, 3, requires_grad=True)
    for i in range(2):
        torch.compile(hooked, backend="aot_eager")(x).sum().backward()
    torch.compile(nested, backend="aot_eager")(v, torch.tensor([0, 2, 6])).values().sum().backward()
    print(w.grad.sum().item(), v.grad.sum().item(), torch.get_rng_state().sum().item())
"""
with Cdbg(PROGRAM, limit=200) as d:
    d.do("break hooked")
    d.do("break nested")
    for function, gradients in ("hooked", 1), ("nested", 1):
        d.go()
        for command in "graph run", "graph memory":
            r = d.cmd(command)
            ok(r["ok"], "%s: %s answers" % (function, command), str(r)[-400:])
        r = d.cmd("graph compare")
        ok(r["ok"] and r["first"] is None and r["rows"] and all([row["ok"] for row in r["rows"]]), "... compared", str(r)[-400:])
        r = d.cmd("graph compare -backward")
        ok(r["ok"] and len([row for row in r["rows"] if row["stage"] == "gradient" and row["ok"]]) == gradients,
           "... and its gradients", str(r)[-600:])
        for flag in "", "-backward":
            file = os.path.join(os.path.dirname(d.path), "saved.py")
            r = d.cmd("graph save %s %s" % (file, flag))
            status, out, err = bare(file) if r["ok"] else (None, "", str(r))
            ok(status == 0 and out.count(": right") >= (1 + gradients if flag else 1), "... saved as a program that runs, graph save %s" % flag, out + err[-500:])
        if function == "hooked":
            d.go()
    d.do("delete")
    d.run_out()
    is_(d.out, bare(d.path)[1], "the program's output is as without cdbg")
done()
