#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The programs of graph save run in a process of their own: graphs with operators that torch.compile takes only as a program writes
them, and with operators and functions that the program defines, which a saved program imports or which are refused."""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
OPERATORS = """
    import torch
    lib = torch.library.Library("mine", "DEF")
    lib.define("twice(Tensor x) -> Tensor")
    lib.impl("twice", lambda x: x * 2, "CPU")
    lib.impl("twice", lambda x: torch.empty_like(x), "Meta")
    @torch.library.custom_op("mine::thrice", mutates_args=())
    def thrice(x: torch.Tensor) -> torch.Tensor:
        return x * 3
    @thrice.register_fake
    def _(x):
        return torch.empty_like(x)
    @torch._dynamo.allow_in_graph
    def plus_one(x):
        return x + 1
"""
PROGRAM = """
    import functools
    import torch
    import torch.utils.checkpoint
    from torch._higher_order_ops.scan import scan
    import own_operators as own
    @torch.library.custom_op("here::four", mutates_args=())
    def four(x: torch.Tensor) -> torch.Tensor:
        return x * 4
    @four.register_fake
    def _(x):
        return torch.empty_like(x)
    @torch._dynamo.allow_in_graph
    def here_plus_one(x):
        return x + 1
    def half(x):
        return torch.nn.functional.dropout(x, 0.5)
    def checkpointed(x, w):
        return torch.utils.checkpoint.checkpoint(half, x @ w, use_reentrant=False) + 1
    def scanned(x, w):
        def add(carry, row):
            return carry + row * w, (carry * row, {"sines": carry.sin()})
        carry, (a, b) = scan(add, x[0:1].expand(4, 4).clone(), x, dim=1, reverse=True)
        return carry, a, b["sines"]
    @torch.compiler.nested_compile_region
    def region(x, y):
        return x.sin() + y, x * 2
    def regions(x, w):
        a, b = region(x, w)
        c, d = region(b, a)
        return c + d
    def registered(x, w):
        return torch.ops.mine.twice(x) + own.thrice(x) + own.plus_one(w)
    def defined_here(x, w):
        return four(x) @ w
    def called_here(x, w):
        return here_plus_one(x) @ w
    torch.manual_seed(0)
    x, w = torch.randn(4, 4), torch.randn(4, 4, requires_grad=True)
    for f in (checkpointed, scanned, regions, registered, defined_here, called_here):
        torch.compile(f, backend="aot_eager", fullgraph=True)(x, w)
    print(torch.get_rng_state().sum().item())
"""


def alone(file, *words, cwd=None):
    r = python(file, *words, env={"PYTHONPATH": ""}, limit=300, cwd=cwd)
    return r.returncode, r.stdout + r.stderr


path = script(PROGRAM)
folder = os.path.dirname(path)
script(OPERATORS, "own_operators.py", folder)
apart = os.path.join(folder, "saved")
os.mkdir(apart)
with Cdbg(path, limit=300) as d:
    def saved(function, flag=""):
        file = os.path.join(apart, function + flag + ".py")
        return d.cmd("graph save %s %s" % (file, flag)), file

    def runs(function, name, flag="", results=1, backends=("eager", "aot_eager")):
        r, file = saved(function, flag)
        ok(r["ok"], "%s: saved" % name, str(r))
        for backend in backends:
            status, out = alone(file, backend)
            ok(status == 0 and out.count(": right") >= results and "Traceback" not in out, "... the program runs with %s" % backend, out)

    for f in ("checkpointed", "scanned", "regions", "registered", "defined_here", "called_here"):
        d.do("break " + f)
    d.go()
    runs("checkpointed", "random numbers in a checkpoint, without gradients")
    runs("checkpointed", "... and with them", "-backward", 2, ("aot_eager",))
    d.go()
    runs("scanned", "scan of trees, from the end", results=3)
    runs("scanned", "... with gradients", "-backward", 4)
    d.go()
    runs("regions", "nested_compile_region")
    runs("regions", "... with gradients", "-backward", 2, ("aot_eager",))
    d.go()
    runs("registered", "operators and a function of a module of the program")
    here = os.path.join(apart, "elsewhere.py")
    with open(os.path.join(apart, "registered.py")) as f:
        text = f.read()
    with open(here, "w") as f:
        f.write(text.replace(folder, "/nowhere"))
    status, out = alone(here)
    ok(status == 1 and "cannot import 'own_operators'" in out and "Traceback" not in out, "... without that module the program names it", out)
    d.go()
    runs("defined_here", "an operator that the program itself registers")
    ok(d.cmd("graph compare")["ok"], "... graph compare compares it")
    d.go()
    runs("called_here", "a function that the program itself puts into the graph")
    d.do("delete")
    d.run_out()
    is_(d.out, bare(path)[1], "the program's output and random numbers are as without cdbg")

# A class of the program's is named in the graph as the type of its input; conjugates are numbers in memory of others.
with tempfile.TemporaryDirectory(prefix="cdbg-t2600-") as folder:
    with Cdbg("""
        import torch
        class Log(torch.Tensor):
            pass
        def f(a, b):
            return torch.tanh(a @ b)
        c = torch.compile(f, backend="eager", dynamic=False)
        x = torch.randn(4, 4)
        z = torch.complex(x, x + 1)
        for a, b in (x.as_subclass(Log), x), (z.conj(), z):
            c(a, b)
            c(a, b)
        """, limit=200) as d:
        d.do("break f")
        for what in "a subclass without functions of its own", "a conjugate":
            d.go()
            d.go()
            file = os.path.join(folder, "saved.py")
            is_(d.error("graph save %s" % file), None, "an input that is %s is written" % what)
            done_alone = python(file, limit=200)
            ok(done_alone.returncode == 0, "... and the program runs", done_alone.stderr[-500:])
done()
