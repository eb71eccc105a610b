#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# graph compare of tensors of other classes: a hand-written one, and DTensor.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import os
    import sys
    import torch
    import torch.utils._pytree as pytree
    class Holder(torch.Tensor):
        @staticmethod
        def __new__(cls, a):
            return torch.Tensor._make_wrapper_subclass(cls, a.shape, dtype=a.dtype)
        def __init__(self, a):
            self.a = a
        def __tensor_flatten__(self):
            return ["a"], None
        @staticmethod
        def __tensor_unflatten__(held, meta, size, stride):
            return Holder(held["a"])
        def __repr__(self):
            return "Holder(%s)" % self.a
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            args, kwargs = pytree.tree_map(lambda v: v.a if isinstance(v, Holder) else v, (args, kwargs or {}))
            return pytree.tree_map(lambda v: Holder(v) if isinstance(v, torch.Tensor) else v, func(*args, **kwargs))
    def f(x):
        return torch.tanh(x) * 2
    def wrong(gm, inputs):
        for n in gm.graph.nodes:
            if n.target is torch.tanh:
                n.target = torch.sin
        gm.recompile()
        return gm.forward
    x = torch.randn(8, 8)
    kind = sys.argv[2]
    if kind == "dtensor":
        import torch.distributed
        from torch.distributed.tensor import distribute_tensor, init_device_mesh, Shard
        torch.distributed.init_process_group("gloo", rank=0, world_size=1, store=torch.distributed.HashStore())
        x = distribute_tensor(x, init_device_mesh("cpu", (1,)), [Shard(0)])
    else:
        x = Holder(x)
    c = torch.compile(f, backend=wrong if sys.argv[1] == "wrong" else sys.argv[1])
    for i in range(2):
        c(x)
    """


def compare(backend, kind):
    with Cdbg(PROGRAM, backend, kind, limit=200) as d:
        d.do("break f")
        d.go()
        d.go()
        return d.cmd("graph compare")


kinds = ["holder"] + (["dtensor"] if torch_has("torch.distributed.tensor.distribute_tensor") else [])
for kind in kinds:
    r = compare("eager", kind)
    ok(r["ok"] and [row["ok"] for row in r["rows"]] == [True], "%s: what the result holds is compared" % kind, str(r)[:400])
r = compare("wrong", "holder")
ok(r["ok"] and [row["ok"] for row in r["rows"]] == [False], "a wrong value in it is found", str(r)[:400])
done()
