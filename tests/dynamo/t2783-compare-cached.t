#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph compare finds that code which inductor took from its cache is stale in what it writes into an input, and in a gradient."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_inductor()
PROGRAM = """
    import sys, torch
    torch.set_num_threads(1)
    new = sys.argv[1] == "new"
    @torch.library.custom_op("t2783::put", mutates_args=("c",) if new else ())
    def put(c: torch.Tensor, v: torch.Tensor) -> None:
        c.copy_(v)
    @put.register_fake
    def _(c, v):
        return None
    @torch.library.custom_op("t2783::same", mutates_args=())
    def same(x: torch.Tensor) -> torch.Tensor:
        return x.clone()
    @same.register_fake
    def _(x):
        return torch.empty_like(x)
    same.register_autograd(lambda ctx, g: (2.0 if new else 1.0) * g)
    def write(c, v):
        torch.ops.t2783.put(c, v)
        return v * 2
    def scale(x):
        return torch.ops.t2783.same(x) + 1
    c, x = torch.zeros(2), torch.ones(3, requires_grad=True)
    torch.compile(write, dynamic=False)(c, torch.ones(2))
    torch.compile(scale, dynamic=False)(x).sum().backward()
    print(c.tolist(), x.grad.tolist())
"""
with tempfile.TemporaryDirectory() as folder, Cdbg(PROGRAM, "new", limit=400, env={"TORCHINDUCTOR_CACHE_DIR": folder}) as d:
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
    old, new = [python(d.path, way).stdout for way in ("old", "new")]
    if old != new:
        skip_all("this torch does not take stale code from its cache")
    d.do("break write")
    d.do("break scale")
    d.go()
    r = d.do("graph compare")
    is_([(row["node"], row["stage"]) for row in r["rows"] if not row["ok"]], [("l_c_ (written)", "program")], "what stale code writes is wrong")
    like(r["text"], "note: the values written into l_c_ of the code that the program runs are wrong", "... and a note tells it")
    d.go()
    r = d.do("graph compare")
    is_([row["node"] for row in r["rows"] if not row["ok"]], [], "without -backward a stale backward is not looked at")
    r = d.do("graph compare -backward")
    is_([(row["node"], row["stage"]) for row in r["rows"] if not row["ok"]], [("l_x_ (gradient)", "program")], "the gradient by stale code is wrong")
    like(r["text"], "note: gradients of l_x_ of the code that the program runs are wrong", "... and a note tells it")
    d.do("delete")
    d.go()
    is_(d.out, new, "the program's gradient is as without cdbg")
done()
