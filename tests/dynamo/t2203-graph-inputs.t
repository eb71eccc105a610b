#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Graphs with inputs of other classes and layouts, that write what they are given, or whose compiler is gone: looked at, or refused with the reason.
import os
import shutil
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

STATE = "print torch.get_rng_state().sum(), __import__('sys').modules['__main__'].x.sum()"
VALUES = '''
    import os
    import warnings
    import torch
    import torch._dynamo
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    def f(x, y):
        a = x * 2
        return a, y
    x = torch.arange(16.0).view(4, 4) - 4
    def dtensor():
        import torch.distributed as dist
        from torch.distributed.tensor import DeviceMesh, Replicate, distribute_tensor
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29511", RANK="0", WORLD_SIZE="1")
        dist.init_process_group("gloo", rank=0, world_size=1)
        return distribute_tensor(x, DeviceMesh("cpu", [0]), [Replicate()])
    class Logging(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return super().__torch_function__(func, types, args, kwargs or {})
    CASES = [("sparse", lambda: x.to_sparse()), ("quantized", lambda: torch.quantize_per_tensor(x, 0.1, 0, torch.qint8).dequantize()),
             ("subclass", lambda: x.as_subclass(Logging)), ("huge", lambda: torch.ones(1).expand(1 << 14, 1 << 14)),
             ("number", lambda: 1 << 80), ("dtensor", dtensor)]
    for case, make in CASES:
        torch._dynamo.reset()
        try:
            a = make()
        except Exception:
            print("no", case)
            continue
        torch.compile(f, backend="eager")(a, x)
    torch._dynamo.reset()
    g = torch.compile(f, backend="eager", dynamic=True)
    g(x, 3)
    g(x[:2], 5)
    print("done")
    '''
with Cdbg(VALUES, limit=300) as d:
    d.do("break f")
    stop, seen = d.go(), []
    while stop["event"] == "stopped":
        case = d.text("print case").split()[-1].strip("'") if len(seen) < 6 else "symbolic"
        before = d.text(STATE)
        answers = [d.cmd(c) for c in ("graph run", "graph run until nan", "graph memory", "graph compare")]
        ok(all(a["ok"] or len(a["error"]) > 20 for a in answers), "%s: run, or refused with the reason" % case,
           str([a.get("error") for a in answers]))
        note("%s: %s" % (case, [a.get("error") for a in answers if not a["ok"]]))
        is_(d.text(STATE), before, "... and nothing has changed")
        seen.append(case)
        if len(seen) > 12:
            break
        stop = d.go()
    ok(len(seen) >= 6, "at least six of them are compiled here", str(seen))
    ok("done" in d.out, "the program continues as before", d.out)

META = """
    import torch
    def f(x):
        a = x * 2
        return torch.log(a - 100) + 1
    c = torch.compile(f, backend="eager", dynamic=False)
    c(torch.ones(3, device="meta"))
    c(torch.ones(3, device="meta"))
    c(torch.ones(3))
    c(torch.ones(3))
    print("done")
    """
status, out, err = run(META, commands=["catch nan", "continue", "continue"], limit=200)
like(out + err, r"catch nan skips tensors that are not on the CPU: .*meta", "catch nan says what it skips, and why")
is_((out + err).count("catch nan skips"), 1, "... once")
like(out, r"log made 3 NaN", "... and stops for a tensor on the CPU")

WRITES = """
    import sys
    import torch
    torch.manual_seed(0)
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.randn(4, 4))
            self.register_buffer("seen", torch.zeros(4))
            self.w.register_hook(lambda g: g * 2)
        def forward(self, x, alias):
            self.seen.add_(x.sum(0))
            with torch.no_grad():
                self.w.mul_(0.5)
            alias[0] = 7
            return torch.nn.functional.dropout(x @ self.w) + torch.rand(4) + alias.sum()
    net = Net()
    x = torch.randn(4, 4)
    c = torch.compile(net, backend=sys.argv[1])
    def state():
        return [float(t.double().sum()) for t in (net.w, net.seen, x)], float(torch.get_rng_state().double().sum()), net.w._version
    with torch.no_grad():
        for i in range(3):
            r = c(x, x[1:])
    print(float(r.sum()), state())
    """
for backend in ("aot_eager", "inductor"):
    if backend == "inductor" and not shutil.which("g++"):
        skip("what inductor compiles", "no g++: inductor cannot compile")
        continue
    with Cdbg(WRITES, backend, limit=300) as d:
        d.do("break Net.forward")
        d.go()
        d.go()
        before = d.text("print state()")
        answers = [d.cmd(c) for c in ("graph run", "graph run -n 3", "graph memory", "graph compare", "graph recompile")]
        ok(all(a["ok"] for a in answers), "in-place writes, aliases and random numbers (%s)" % backend, str([a.get("error") for a in answers]))
        is_(d.text("print state()"), before, "... parameters, buffers, inputs and random numbers are as before")
        is_(answers[3].get("first", 0), None, "... and none is a false alarm")
        if backend == "inductor":
            d.do("!import os; os.environ['CXX'] = '/no/such/compiler'")
            d.do("!import torch._inductor.config as k; k.cpp.cxx = ('/no/such/compiler',)")
            d.do("!import torch._inductor.cpp_builder as b, functools; "
                 "[v.cache_clear() for v in list(vars(b).values()) if isinstance(v, functools._lru_cache_wrapper)]")
            r = d.cmd("graph compare")
            ok(not r["ok"] and "compile" in r["error"].lower(), "no compiler on the machine: refused with the reason", str(r)[:400])
            is_(d.text("print state()"), before, "... and nothing has changed")
        d.do("delete")
        d.go()
        is_(d.exited and d.exited["status"], 0, "the program ends as ever (%s)" % backend)
done()
