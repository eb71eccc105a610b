#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The message about an exception of the program says what failed on it, whatever the name of its class.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import torch
    torch.set_num_threads(1)
    class NodeRaised(Exception):
        pass
    class Held(torch.Tensor):
        raises = None
        @staticmethod
        def __new__(cls, a):
            return torch.Tensor._make_wrapper_subclass(cls, a.shape, dtype=a.dtype)
        def __init__(self, a):
            self.a = a
        def __tensor_flatten__(self):
            return ["a"], None
        @staticmethod
        def __tensor_unflatten__(inner, meta, size, stride):
            return Held(inner["a"])
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            if Held.raises and func is torch.ops.aten.clone.default:
                raise Held.raises("no copy of it")
            args, kwargs = torch.utils._pytree.tree_map_only(Held, lambda t: t.a, (args, kwargs or {}))
            r = func(*args, **kwargs)
            return Held(r) if isinstance(r, torch.Tensor) else r
    x = Held(torch.ones(4))
    def f(x):
        x.add_(1)
        return x * 2
    c = torch.compile(f, backend="eager")
    c(x)
    for kind in (ConnectionRefusedError, NodeRaised):
        Held.raises = kind
        c(x)
    print("ended")
    """

plain = bare(PROGRAM)
with Cdbg(PROGRAM, limit=300) as d:
    d.do("break f")
    d.go()
    d.go()
    like(d.error("graph run"), r"^the graph cannot be run: ConnectionRefusedError: no copy of it$", "an exception whose name has 'Refused' in it is the program's")
    d.go()
    like(d.error("graph run"), r"^the graph cannot be run: .*NodeRaised: no copy of it$", "so is one with the name of one of cdbg's")
    d.do("delete")
    d.run_out()
    is_((d.exited["status"], d.out), plain[:2], "the program ends as without cdbg")
done()
