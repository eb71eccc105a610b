#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs as they are written, each stopped and stepped through in ways of its own, and each with the results, output
and status that it has without cdbg: back ends, other tools on the same code, shapes of code that Dynamo cuts apart."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
CACHE = tempfile.mkdtemp(prefix="cdbg-test-inductor-")
ENV = {"TORCHINDUCTOR_CACHE_DIR": CACHE}


def same(name, program, visit):
    """visit(d) drives the program from its start; what is left of it then runs to its end."""
    status, out, err = bare(program, env=ENV)
    known = lambda text: re.sub(r"0x[0-9a-f]+|(?<=_)[0-9a-f]{8}(_[0-9a-f]{4}){3}_[0-9a-f]{12}", "X", text)
    with Cdbg(program, env=ENV) as d:
        visit(d)
        if not d.exited:
            d.do("delete")
        d.run_out()
        is_((d.exited["status"], known(d.out)), (status, known(out)), "%s: results are those it has without cdbg" % name)
        # torch's log has the time and the process
        is_(untimed(d.err), untimed(err), "%s: nothing more on standard error" % name)


def steps(d, line, most):
    """Step so often, or to the end: (function, kind, region) of each stop."""
    seen = []
    while len(seen) < most and not d.exited:
        d.go(line)
        if not d.exited:
            seen.append((d.frame["function"], d.frame["kind"], d.frame["region"]))
    return seen


# ---- inductor: its generated Python is stepped like any other graph ----

def inductor(d):
    d.do("set step-into graph")
    d.do("break f")
    d.go()
    is_((d.frame["kind"], d.frame["region"]), ("generated", "graph call"), "inductor: a breakpoint stops in generated code")
    seen = steps(d, "step", 12)
    ok([s for s in seen if s[1] == "graph"], "inductor: step goes into the code that it wrote", seen)
    while d.frame["kind"] != "generated":
        d.go("finish")
    seen = steps(d, "next", 3)
    ok(seen and all(s[1] == "generated" or s[0] == "<module>" for s in seen), "inductor: finish comes back, next stays", seen)


same("inductor", '''
    import torch

    @torch.compile
    def f(x, y):
        a = torch.sin(x) + torch.cos(y)
        if a.sum() > 0:
            return a * 2
        return a.relu()

    print(f(torch.zeros(8), torch.zeros(8)))
    print(f(torch.zeros(8), torch.full((8,), 3.0)))
''', inductor)


# ---- torch's own debugger of the same bytecode ----

def beside(d):
    d.do("break f")
    d.go()
    if d.exited:
        return
    is_(d.frame["kind"], "generated", "torch's debugger is in: a breakpoint stops all the same")
    offset = d.frame["offset"]
    d.go("stepi")
    ok(d.frame["function"] == "f" and d.frame["offset"] > offset, "stepi continues in that frame", d.frame)
    d.go("finish")
    is_(d.reason, "return", "and finish to its end")


same("beside torch's bytecode debugger", '''
    import builtins, re, torch
    try:
        from torch._dynamo.bytecode_debugger import debug
    except ImportError:
        raise SystemExit("no bytecode debugger")
    said = iter(["s"] * 3 + ["stack", "c"] * 3)
    builtins.input = lambda prompt: next(said, "c")

    @torch.compile(backend="eager")
    def f(x):
        return x.sin() + 1

    f(torch.zeros(2))
    with debug():
        print(f(torch.ones(2)))
    print(f(torch.zeros(2)))
''', beside)


# ---- a bytecode hook of the program's own ----

def hooked(d):
    d.do("break f")
    d.go()
    ok(d.frame["kind"] == "generated" and d.rows("info code 0/0"), "what a hook of the program's put there is what stops")
    seen = steps(d, "stepi", 30)
    ok(seen, "and is stepped", seen)


same("a bytecode hook", '''
    import torch
    from torch._dynamo.convert_frame import register_bytecode_hook
    count = []

    def hook(old, new):
        count.append(new.co_name)
        return new.replace(co_consts=new.co_consts + ("mine",))

    handle = register_bytecode_hook(hook)

    @torch.compile(backend="eager")
    def f(x):
        x = x + 1
        print("breaks")
        return x * 2

    print(f(torch.ones(2)), f(torch.ones(2)))
    handle.remove()
    print(count)
''', hooked)


# ---- training: a module, its backward, a hook on a gradient, a function with a backward of its own ----

def training(d):
    d.do("break Net.forward")
    d.do("break backward")
    stops = []
    for _ in range(8):
        d.go()
        if d.exited:
            break
        stops.append(d.frame["function"])
        steps(d, "next", 2)
    ok("forward" in stops, "training: forward is stopped at", stops)


same("training on aot_eager", '''
    import torch
    torch.manual_seed(0)

    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x ** 3

        @staticmethod
        def backward(ctx, g):
            return g * 3 * ctx.saved_tensors[0] ** 2

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList(torch.nn.Linear(3, 3) for _ in range(2))

        def forward(self, x, *, scale=1):
            for layer in self.layers:
                x = layer(x).tanh() * scale
            return Cube.apply(x)

    net = Net()
    compiled = torch.compile(net, backend="aot_eager")
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for step in range(3):
        loss = compiled(torch.ones(2, 3), scale=step + 1).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print("%.4f" % loss.item())
''', training)


# ---- breaks three deep, in a with, in a loop; generators; recursion; keyword arguments; shapes that change ----

def shapes(d):
    d.do("break three")
    d.do("catch resume")
    names = [d.go()["frame"]["function"] for _ in range(4)]
    is_([n.split("_at_")[0] for n in names], ["three"] + ["torch_dynamo_resume_in_three"] * 3,
        "three resume functions of one call are each stopped at")
    frames = [r["function"] for r in d.rows("info frames")]
    is_([f for f in frames if "three" in f], names[::-1], "and are frames one in another")
    d.do("delete")
    for line in ("break with_ctx", "break gen", "break fact", "break dynamic"):
        d.do(line)
    seen = steps(d, "step", 60)
    ok(len({s[0] for s in seen}) > 3, "stepping goes from one function into the next", {s[0] for s in seen})


same("cut apart", '''
    import contextlib
    import torch

    def compiled(**kw):
        return lambda f: torch.compile(f, backend="eager", **kw)

    @compiled()
    def three(x):
        x = x + 1
        print("a")
        x = x * 2
        print("b")
        x = x - 3
        print("c")
        return x / 4

    @contextlib.contextmanager
    def ctx(log):
        log.append("in")
        try:
            yield 3
        finally:
            log.append("out")

    @compiled()
    def with_ctx(x, log):
        with ctx(log) as n:
            x = x * n
            print("in with")
            x = x + 1
        return x

    @compiled()
    def gen(x):
        def each():
            for k in range(3):
                yield x * k
        total = 0
        for v in each():
            total = total + v
        return total

    @compiled()
    def fact(x, n):
        return x if n == 0 else fact(x * n, n - 1)

    @compiled(dynamic=True)
    def dynamic(x, *, by):
        return (x * by).sum() + x.shape[0]

    @compiled(fullgraph=True)
    def whole(x):
        with torch.no_grad():
            return torch.where(x > 1, x, -x)

    log = []
    for k in range(2):
        print(three(torch.ones(2) * k))
    print(with_ctx(torch.ones(2), log), log)
    print(gen(torch.ones(2)), fact(torch.ones(1), 4), whole(torch.arange(3.0)))
    for n in (2, 3, 4):
        print(dynamic(torch.ones(n), by=n))
''', shapes)


# ---- coroutines and workers of a pool beside compiled code ----

def awaited(d):
    d.do("break f")
    d.do("break worker")
    seen = []
    for _ in range(20):
        if d.exited:
            break
        d.go("next" if len(seen) % 2 else "continue")
        if not d.exited:
            seen.append(d.frame["function"])
    ok({"f", "worker"} <= set(seen), "a coroutine and the compiled function that it calls are stopped at", seen)


same("asyncio", '''
    import asyncio
    import torch

    @torch.compile(backend="eager")
    def f(x):
        x = x + 1
        print("in f")
        return x * 2

    async def worker(n, queue):
        for k in range(n):
            await asyncio.sleep(0)
            await queue.put(f(torch.full((2,), float(k))))
        await queue.put(None)

    async def main():
        queue = asyncio.Queue(1)
        task = asyncio.create_task(worker(3, queue))
        while (value := await queue.get()) is not None:
            print(value)
        await task

    asyncio.run(main())
''', awaited)


# ---- an end in the middle of it: an exception from compiled code that nobody catches, exit functions, threads ----

def ends(d):
    d.do("break f")
    d.do("catch exception")
    reasons = []
    while not d.exited and len(reasons) < 40:
        d.go("finish" if d.reason == "breakpoint" else "continue")
        reasons.append(d.reason)
    ok({"breakpoint", "return", "exception"} <= set(reasons), "stops of each kind are met on the way", reasons)


same("an uncaught exception", '''
    import atexit, sys, threading
    import torch
    atexit.register(lambda: print("bye"))

    @torch.compile(backend="eager")
    def f(x):
        y = x + 1
        if y.sum() > 3:
            raise RuntimeError("too big")
        return y

    print(f(torch.ones(1)))
    t = threading.Thread(target=lambda: print(f(torch.zeros(1))))
    t.start()
    t.join()
    try:
        f(torch.ones(4))
    except RuntimeError as e:
        print("caught", e, file=sys.stderr)
    sys.exit(f(torch.zeros(2)).shape[0] + 1)
''', ends)
done()
