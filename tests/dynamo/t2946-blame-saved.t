#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""blame -save writes a program that shows the fault without cdbg: it runs with Python alone, says what is expected and what comes, and ends with status 1.
A fault of the backend, of AOTAutograd, of an operator, of the capture with what the script defines and has changed, and of a cache."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
CASES = os.path.join(top, "tests", "cases")
PROGRAM = '''
    import torch, torch._dynamo

    # ---- changed after the compile, without a guard
    class Layer:
        seen = []
        def call(self, x):
            return x + 1
        def notes(self, x):
            return x * 1
        def talks(self, x):
            return x * 1
        def fails(self, x):
            return x * 1
        def shape(self, x):
            return x * 1
    SCALE = 100.0
    def helper(x):
        return x + SCALE
    def call_now(self, x):
        return helper(x)
    def notes_now(self, x):
        self.seen.append(len(self.seen))
        return x * 1
    def talks_now(self, x):
        print("talks now")
        return x * 1
    def fails_now(self, x):
        raise KeyError("now")
    def shape_now(self, x):
        return x[None].double()

    lay = Layer()
    def patched(x): return lay.call(x) * 2
    def container(x): return lay.notes(x)
    def printed(x): return lay.talks(x)
    def raised(x): return lay.fails(x)
    def kinds(x): return lay.shape(x)
    lin = torch.nn.Linear(3, 3)
    def hooked(x): return lin(x) + 0
    def hook(module, given, out):
        return out * 3
    class Box:
        def __init__(self, n): self.n = n
        def __len__(self): return self.n
    box = Box(2)
    def sized(x): return x * len(box)
    def writes(x, out): out.copy_(lay.call(x)); return x + 0
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Linear(3, 3)
        def forward(self, x):
            return lay.call(self.inner(x)).relu()
    net = Net()
    def closing(k):
        state = [1.0]
        def inner(x):
            return lay.call(x) * k * state[0]
        return inner
    closed = closing(3.0)

    # ---- backends
    def swap(a, b):
        def backend(gm, inputs):
            for n in gm.graph.nodes:
                if n.target in (a, getattr(torch, a, a)):
                    n.target = getattr(torch, b, b) if n.op == "call_function" else b
            gm.recompile()
            return gm.forward
        return backend
    def changed(change):
        return lambda gm, inputs: lambda *args: [change(v) for v in gm(*args)]
    def node_wrong(x):
        y = x * 2 + 1
        z = y.sin()
        return (z + 1) * 3 - x
    def numbers_wrong(x): return x * 3
    def dropped(x, out): out.add_(x); return x * 2
    def drop_writes(gm, inputs):
        for n in list(gm.graph.nodes):
            if n.target == "add_":
                n.replace_all_uses_with(n.args[0])
                gm.graph.erase_node(n)
        gm.recompile()
        return gm.forward
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, v): return v.clone()
        @staticmethod
        def backward(ctx, g): return g * 2
    def backward_wrong(x): return x * 10

    # ---- an operator
    @torch.library.custom_op("t2946::put", mutates_args=())
    def put(c: torch.Tensor, v: torch.Tensor) -> None:
        c.copy_(v)
    @put.register_fake
    def _(c, v): return None
    def undeclared(c, v):
        torch.ops.t2946.put(c, v)
        return v * 2

    # ---- what a backend depends on besides the graph
    FACTOR = 2.0
    def depends(gm, inputs):
        factor = FACTOR
        return lambda *args: [v * factor for v in gm(*args)]
    def stale(x): return x - 1
    def right(x): return x * 5 - 1
    def large(x): return lay.call(x)

    torch.manual_seed(0)
    x, w, out, c = torch.linspace(0.5, 2.0, 3), torch.ones(3, requires_grad=True), torch.zeros(3), torch.zeros(3)
    def compiled(f, backend, *args):
        torch.compile(f, backend=backend, dynamic=False)(*args)
    for f in patched, container, printed, raised, kinds, hooked, sized, net.forward, closed:
        compiled(f, "eager", x)
    compiled(writes, "eager", x, out)
    compiled(node_wrong, swap("sin", "cos"), x)
    compiled(numbers_wrong, changed(lambda v: v + 0.01), x)
    compiled(dropped, drop_writes, x, out)
    compiled(backward_wrong, changed(Twice.apply), w)
    compiled(undeclared, "aot_eager", c, x)
    compiled(stale, depends, x)
    compiled(right, "eager", x)
    big = torch.arange(400000.0)
    compiled(large, "eager", big)
    FACTOR = 1.0
    Layer.call.__code__, Layer.notes.__code__, Layer.talks.__code__ = call_now.__code__, notes_now.__code__, talks_now.__code__
    Layer.fails.__code__, Layer.shape.__code__ = fails_now.__code__, shape_now.__code__
    lin.register_forward_hook(hook)
    Box.__len__.__code__ = (lambda self: 7).__code__
    out, c = torch.zeros(3), torch.zeros(3)

    def stop():
        pass

    stop()
    print("end", lay.seen, out.tolist(), c.tolist())
'''
folder = tempfile.mkdtemp(dir=os.path.dirname(script("", "empty.py")))


def alone(path):
    """(status, output) of a program in a Python without cdbg."""
    r = python(path, cwd="/", limit=200)
    return r.returncode, r.stdout + r.stderr


CAPTURE = (
    ("patched", "x=x", r"what Dynamo made of it: result: expected .*201.*comes .*3.*: WRONG", "a method that was patched"),
    ("container", "x=x", r"Layer.seen \(length\): expected 'list of 1', comes 'list of 0': WRONG", "a list that only eager appends to"),
    ("printed", "x=x", r"prints: expected 'talks now\\n', comes '': WRONG", "what only eager prints"),
    ("raised", "x=x", r"raises: expected .*KeyError: 'now'.*comes nothing: WRONG", "what only eager raises"),
    ("kinds", "x=x", r"result: expected .*float64.*comes .*: WRONG", "a result of another type"),
    ("hooked", "x=x", r"what Dynamo made of it: result: .*: WRONG", "a hook on a module that was added later"),
    ("sized", "x=x", r"what Dynamo made of it: result: expected .*3.5.*comes .*1.*: WRONG", "a length that a lambda gives now"),
    ("writes", "x=x out=out", r"args\[1\]: expected .*100.5.*comes .*1.5.*: WRONG", "an argument that is written"),
    ("Net.forward", "self=net x=x", r"what Dynamo made of it: result: .*: WRONG", "a method of a module with parameters"),
    ("inner", "x=x lay=lay k=3.0 state=[1.0]", r"what Dynamo made of it: result: .*: WRONG", "a function with free variables"),
)

with Cdbg(PROGRAM, limit=400) as d:
    d.do("break stop")
    d.go()
    d.do("up")

    def save(words, name="saved.py", flags=""):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            os.remove(path)
        return path, d.cmd("blame %s-save %s %s" % (flags, path, words))

    for name, words, pattern, what in CAPTURE:
        path, r = save("%s with %s" % (name, words))
        like(str(r.get("text", r.get("error"))), r"bytes written to .*\n(.*\n)*.*it has the whole call: only a graph can be reduced", "the capture: %s: a program is written" % what)
        status, out = alone(path) if os.path.exists(path) else (None, "no file")
        like(out, pattern, "... which says what is expected and what comes")
        is_(status, 1, "... and ends with status 1")
        if name == "patched":
            with open(path) as f:
                text = f.read()
            ok("Dynamo's capture is wrong" in text and "def helper(x)" in text and "SCALE = 100.0" in text and "t2946" not in text.replace(path, ""),
               "it has the verdict and what the function calls, and nothing else of the script", text)
            like(out, "compiled afresh by eager: as expected", "a fresh compile, which sees what changed, is right")
    for name, words, flags, what in (("node_wrong", "x=x", "", "a node that calls another function"), ("numbers_wrong", "x=x", "", "numbers that are off"),
                                     ("dropped", "x=x out=out", "", "an argument that is not written"),
                                     ("backward_wrong", "x=w", "-backward ", "a gradient")):
        path, r = save("%s with %s" % (name, words), flags=flags)
        like(str(r.get("text", r.get("error"))), "^backend .*\n(.*\n)*.*bytes written", "the backend: %s: a program is written" % what)
        status, out = alone(path) if os.path.exists(path) else (None, "no file")
        like(out, r"result \d: .*: WRONG", "... which shows it")
        is_(status, 1, "... and ends with status 1")
        if name == "node_wrong":
            like(r["text"], r"reduced from 6 to 1 nodes", "... with the wrong node alone")
    path, r = save("undeclared with c=c v=x")
    like(str(r.get("text", r.get("error"))), r"^your operator's schema(.*\n)*.*bytes written", "an operator's schema: a program is written")
    status, out = alone(path) if os.path.exists(path) else (None, "no file")
    like(out, r"compiled afresh by aot_eager: args\[0\]: .*: WRONG", "... which shows what is not written")
    is_(status, 1, "... and ends with status 1")
    path, r = save("large with x=big")
    status, out = alone(path) if os.path.exists(path) else (None, "no file")
    ok(os.path.exists(path + ".inputs.pt") and status == 1, "large values are in a file beside the program", out)
    for name, pattern in ("stale with x=x", "nothing was saved: a program would compile afresh, which is right"), ("right with x=x", "nothing was saved: there is no fault"):
        path, r = save(name, "none.py")
        like(r["text"], pattern, "blame %s: %s" % (name, pattern))
        ok(not os.path.exists(path), "... and no file is there")
    like(d.error("blame -save"), "missing file name", "-save needs a file")
    like(d.error("blame -save '' -nosuch"), "unknown flag '-nosuch'; try: -backward, -f, -save FILE", "other flags are refused")
    like(d.text("blame -save %s/no/such/folder.py patched with x=x" % folder), "cannot be saved: .*No such file", "a file that cannot be written is said, with the verdict")
    d.run_out()
    said = d.out
status, out, _ = bare(PROGRAM)
is_(said, out, "the program goes on as without cdbg")

if torch_has("torch.compiler.nested_compile_region"):
    with Cdbg(os.path.join(CASES, "nested_region_global.py")) as d:
        d.do("break chain")
        d.go()
        d.go()
        path = os.path.join(folder, "region.py")
        d.do("blame -save " + path)
        d.run_out()
    status, out = alone(path)
    like(out, r"compiled afresh by eager: result: expected .*, comes .*: WRONG", "a fault within one compile: a fresh compile shows it, too")
    is_(status, 1, "... with status 1")
else:
    skip("a fault within one compile", "this torch has no regions")
with Cdbg(os.path.join(CASES, "autocast_backward.py")) as d:
    d.do("break squash")
    d.go()
    d.go()
    path = os.path.join(folder, "aot.py")
    like(d.do("blame -backward -save " + path)["text"], r"^AOTAutograd(.*\n)*.*bytes written", "AOTAutograd: a program is written")
    d.run_out()
status, out = alone(path)
like(out, r"WRONG", "... which shows it")
is_(status, 1, "... with status 1")
done()
