#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""blame names whose fault a wrong result is: Dynamo's capture with the line, AOTAutograd, the backend with the node, an operator's schema or fake kernel,
what a backend depends on besides the graph; also where what differs is a gradient, an attribute, a container, output, an exception, a type."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
PROGRAM = '''
    import os, time, torch, torch._dynamo

    # ---- what Dynamo has no guard for
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

    def call_now(self, x):
        return x + 100                          # the new call
    def notes_now(self, x):
        self.seen.append(len(self.seen))        # noted now
        return x * 1
    def talks_now(self, x):
        print("talks now")
        return x * 1
    def fails_now(self, x):
        raise KeyError("now")
    def shape_now(self, x):
        return x[None].double()                 # another type

    lay = Layer()
    def patched(x): return lay.call(x) * 2
    def container(x): return lay.notes(x)
    def printed(x): return lay.talks(x)
    def raised(x): return lay.fails(x)
    def kinds(x): return lay.shape(x)

    lin, fired = torch.nn.Linear(3, 3), []
    def hooked(x): return lin(x) + 0
    def hook(module, given, out):
        fired.append(1)                         # fired now
        return out * 3
    def hooked_back(x): return inner(x) * 2
    inner = torch.nn.Linear(3, 3)

    class Box:
        def __init__(self, n): self.n = n
        def __len__(self): return self.n
        def __getitem__(self, i): return i + 1.0
    box = Box(2)
    def sized(x): return x * len(box)
    def item(x): return x * box[1]
    def writes(x, out): out.copy_(lay.call(x)); return x + 0
    def keeps(x):
        lay.kept = lay.call(x)
        return x + 0

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
    def loud(v):
        os.write(1, b"said by the backend\\n")
        return v
    def stops(v):
        raise KeyError("of the backend")
    def node_wrong(x): return x.sin() + 1
    def method_wrong(x):
        y = x.exp()                             # the wrong method
        return y * 2
    def numbers_wrong(x): return x * 3
    def kind_wrong(x): return x * 4
    def size_wrong(x): return x * 5
    def detached(x): return x * 6
    def spoken(x): return x * 7
    def stopped(x): return x * 8
    def strided(m): return m * 9
    def sharing(x):
        y = x * 2
        return y, y[1:]
    def unwritten(x, out): out.add_(x); return x * 2
    def drop_writes(gm, inputs):
        for n in list(gm.graph.nodes):
            if n.target == "add_":
                n.replace_all_uses_with(n.args[0])
                gm.graph.erase_node(n)
        gm.recompile()
        return gm.forward
    def resumed(x):
        y = x + 1
        torch._dynamo.graph_break()
        return y.cos() * 2                      # in the resume function
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, v): return v.clone()
        @staticmethod
        def backward(ctx, g): return g * 2
    def backward_wrong(x): return x * 10

    # ---- caches
    FACTOR = 2.0
    def depends(gm, inputs):
        factor = FACTOR
        return lambda *args: [v * factor for v in gm(*args)]
    def stale(x): return x - 1
    BACK = 2.0
    class Stale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, v, factor): ctx.factor = factor; return v.clone()
        @staticmethod
        def backward(ctx, g): return g * ctx.factor, None
    def depends_back(gm, inputs):
        factor = BACK
        return lambda *args: [Stale.apply(v, factor) for v in gm(*args)]
    def stale_back(x): return x - 2

    # ---- operators
    @torch.library.custom_op("t2941::put", mutates_args=())
    def put(c: torch.Tensor, v: torch.Tensor) -> None:
        c.copy_(v)
    @put.register_fake
    def _(c, v): return None
    def undeclared(c, v):
        torch.ops.t2941.put(c, v)
        return v * 2
    @torch.library.custom_op("t2941::narrow", mutates_args=())
    def narrow(v: torch.Tensor) -> torch.Tensor:
        return v.double()
    @narrow.register_fake
    def _(v): return torch.empty_like(v)
    def fake_wrong(v):
        r = torch.ops.t2941.narrow(v)
        return r * 2 if r.dtype == torch.float64 else r * 3

    # ---- what eager does otherwise each time hides no fault
    @torch._dynamo.disable
    def say(): print(os.urandom(9) if ready else "calm")
    ready = False
    def noisy_stop(x):
        say()
        return x * 12
    def clocked(x):
        n = time.perf_counter_ns()
        torch._dynamo.graph_break()
        return x * 13, n

    # ---- the program itself
    from torch.compiler import is_dynamo_compiling as traced
    def asks(x):
        if torch.compiler.is_compiling():       # asks by its name
            return x * 2
        return x * 3
    def asks_else(x):
        if not traced():                        # asks by another name
            print("not traced")
        return x * 4
    of_torch = {"torch": torch}
    exec(compile("def helper(x): return x * (2 if torch.compiler.is_compiling() else 3)", torch.__file__.replace("__init__", "t2941"), "exec"), of_torch)
    def torch_asks(x): return of_torch["helper"](x) + 1     # calls what asks
    def asks_in_vain(x):
        return lay.call(x) + (0 if torch.compiler.is_compiling() else 0)

    # ---- eager itself
    def noise(x): return x + int.from_bytes(os.urandom(4), "little")

    torch.manual_seed(0)
    x, m, w = torch.linspace(0.5, 2.0, 3), torch.arange(6.0).reshape(2, 3), torch.ones(3, requires_grad=True)
    out, c = torch.zeros(3), torch.zeros(3)
    def compiled(f, backend, *args):
        try:
            r = torch.compile(f, backend=backend, dynamic=False)(*args)
            if getattr(r, "requires_grad", False):
                r.sum().backward()
        except KeyError:
            pass
    for f in patched, container, printed, raised, kinds, hooked, hooked_back, sized, item, keeps, noise, asks, asks_else, torch_asks, asks_in_vain:
        compiled(f, "eager", x)
    compiled(writes, "eager", x, out)
    for f, backend in ((node_wrong, swap("sin", "cos")), (method_wrong, swap("exp", "abs")), (numbers_wrong, changed(lambda v: v + 0.01)),
                       (kind_wrong, changed(lambda v: v.double())), (size_wrong, changed(lambda v: v[None])), (spoken, changed(loud)),
                       (stopped, changed(stops)), (noisy_stop, changed(stops)), (clocked, changed(stops)), (resumed, swap("cos", "sin")), (stale, depends)):
        compiled(f, backend, x)
    compiled(strided, changed(lambda v: v.t().contiguous().t()), m)
    compiled(sharing, changed(lambda v: v.clone()), x)
    compiled(detached, changed(lambda v: v.detach()), w)
    compiled(backward_wrong, changed(Twice.apply), w)
    compiled(stale_back, depends_back, w)
    compiled(unwritten, drop_writes, x, out)
    compiled(undeclared, "aot_eager", c, x)
    compiled(fake_wrong, "aot_eager", x)
    FACTOR, BACK, ready = 1.0, 1.0, True
    Layer.call.__code__, Layer.notes.__code__, Layer.talks.__code__ = call_now.__code__, notes_now.__code__, talks_now.__code__
    Layer.fails.__code__, Layer.shape.__code__ = fails_now.__code__, shape_now.__code__
    lin.register_forward_hook(hook)
    inner.weight.register_hook(lambda g: g * 10)
    Box.__len__.__code__ = (lambda self: 7).__code__
    Box.__getitem__.__code__ = (lambda self, i: 50.0).__code__
    lay.kept, w.grad, inner.weight.grad = None, None, None
    out, c = torch.zeros(3), torch.zeros(3)

    def stop():
        pass

    stop()
    print("end", lay.seen, fired, out.tolist(), c.tolist(), w.grad)
'''


CAPTURE = (
    ("patched", "x=x", "# the new call", "a method that was patched"),
    ("container", "x=x", "# noted now", "a list that only eager appends to"),
    ("printed", "x=x", None, "what only eager prints"),
    ("raised", "x=x", None, "what only eager raises"),
    ("kinds", "x=x", "# another type", "a result of another type and size"),
    ("hooked", "x=x", "return out * 3", "a hook on a module that was added later"),
    ("sized", "x=x", "def sized", "the length of an object that has another now"),
    ("item", "x=x", "def item", "an item that is another now"),
    ("keeps", "x=x", "# the new call", "an attribute that is written"),
    ("writes", "x=x out=out", "# the new call", "an argument that is written"),
)
BACKEND = (
    ("node_wrong", "x=x", "node sin \\(", "def node_wrong", "a node that calls another function"),
    ("method_wrong", "x=x", "node y \\(", "# the wrong method", "a node that calls another method"),
    ("numbers_wrong", "x=x", "", None, "numbers that are off"),
    ("kind_wrong", "x=x", "", None, "results of another type"),
    ("size_wrong", "x=x", "", None, "results of another size"),
    ("detached", "x=w", "requires_grad", None, "a result without autograd"),
    ("spoken", "x=x", "said by the backend", None, "output"),
    ("stopped", "x=x", "KeyError", None, "an exception"),
    ("strided", "m=m", "strides", None, "strides that no view() takes"),
    ("sharing", "x=x", r"result\[1\]: memory of its own, eager of result\[0\]", None, "results that are one in eager"),
    ("unwritten", "x=x out=out", "", None, "an argument that is not written"),
    ("resumed", "x=x", "node cos", "# in the resume function", "a node of a resume function"),
)

with Cdbg(PROGRAM) as d:
    d.do("break stop")
    d.go()
    d.do("up")

    def blame(words):
        reply = d.cmd("blame " + words)
        if not reply.get("ok"):
            return {"fault": "refused", "sentence": str(reply.get("error")), "line": None}
        return reply
    for name, words, place, what in CAPTURE:
        r = blame("%s with %s" % (name, words))
        like("%s: %s" % (r["fault"], r["sentence"]), "^capture: Dynamo's capture is wrong", "the capture: " + what)
        if place:
            is_(r.get("line"), d.line_of(place), "... at its line")
    for name, words, pattern, place, what in BACKEND:
        r = blame("%s with %s" % (name, words))
        like("%s: %s" % (r["fault"], r["sentence"]), "^backend: .*" + pattern, "the backend: " + what)
        if place:
            is_(r.get("line"), d.line_of(place), "... at its line")
    r = blame("-backward hooked_back with x=x")
    like("%s: %s" % (r["fault"], r["sentence"]), "^none: ", "a hook on a gradient is called by both")
    r = blame("backward_wrong with x=w")
    like("%s: %s" % (r["fault"], r["sentence"]), "^none: ", "what is wrong in gradients only is not seen without -backward")
    like(r["text"], "gradients were not compared: '-backward'", "... which the answer says")
    r = blame("-backward backward_wrong with x=w")
    like("%s: %s" % (r["fault"], r["sentence"]), "^backend: ", "... and is with it")
    r = blame("stale with x=x")
    like("%s: %s" % (r["fault"], r["sentence"]), "^cache: a cache: the program's code of graph __compiled_fn_\\d+ is wrong in .*compiled afresh it is right",
         "what a backend depends on besides the graph: a result")
    r = blame("-backward stale_back with x=w")
    like("%s: %s" % (r["fault"], r["sentence"]), "^cache: a cache: .* is wrong in l_x_ \\(gradient\\)", "... a gradient")
    r = blame("undeclared with c=c v=x")
    like("%s: %s" % (r["fault"], r["sentence"]), "^operator: your operator's schema: t2941.put .*writes its argument 'c'", "an operator that writes an argument")
    r = blame("fake_wrong with v=x")
    like("%s: %s" % (r["fault"], r["sentence"]), "^operator: your operator's fake kernel: t2941.narrow .*returns float64", "an operator whose fake kernel says another type")
    like(d.text("blame patched with x=x"), "note: Layer.call was the function .*no guard covers", "a capture's fault names the value that changed")
    for name, place in ("asks", "# asks by its name"), ("asks_else", "# asks by another name"):
        r = blame(name + " with x=x")
        like("%s: %s" % (r["fault"], r["sentence"]), "^source: the program itself: .* asks whether it is compiled", "a program that does otherwise where it is compiled")
        is_(r.get("line"), d.line_of(place), "... at the line that asks")
    r = blame("torch_asks with x=x")
    like("%s: %s" % (r["fault"], r["sentence"]), "^source: torch itself: t2941.py:1, which prog.py:%d calls, asks whether" % d.line_of("# calls what asks"),
         "torch, which does otherwise where it is compiled")
    r = blame("asks_in_vain with x=x")
    like("%s: %s" % (r["fault"], r["sentence"]), "^capture: ", "one that asks, and whose fault is another's")
    is_(d.text("print torch.compiler.is_compiling(), traced()"), "(False, False)", "... is told the truth afterwards")
    r = blame("noisy_stop with x=x")
    like("%s: %s" % (r["fault"], r["sentence"]), "^backend: .*raises KeyError", "an exception, beside output that eager makes otherwise each time")
    r = blame("clocked with x=x")
    like("%s: %s" % (r["fault"], r["sentence"]), "^eager: .*; all else that could be compared is equal", "what no entry serves is not called equal")
    like(r["text"], r"note: not judged: 'clocked \(resumed at line \d+\)', where no entry fits and a call compiles a new one", "... which a note says")
    r = blame("noise with x=x")
    like("%s: %s" % (r["fault"], r["sentence"]), "^eager: eager itself gives two results: result", "a function that is another in each call")
    d.run_out()
    said = d.out
CASES = os.path.join(top, "tests", "cases")
with Cdbg(os.path.join(CASES, "autocast_backward.py")) as d:
    d.do("break squash")
    d.go()
    d.go()
    r = d.do("blame -backward")
    like("%s: %s" % (r["fault"], r["sentence"]), "^aot: AOTAutograd: ", "AOTAutograd: a gradient that it computes under autocast")
    like(d.text("blame"), "^no fault: ", "... whose results are right")
    d.run_out()
if torch_has("torch.compiler.nested_compile_region"):
    with Cdbg(os.path.join(CASES, "nested_region_global.py")) as d:
        d.do("break chain")
        d.go()
        d.go()
        r = d.do("blame")
        if torch_version() < (2, 14):
            like(r["sentence"], r"^Dynamo's capture is wrong: .*gives \[6\] in eager and \[2\] in the graph .*several calls share", "a region that is compiled once")
            is_(r["line"], d.line_of("return box.value"), "... at its line")
        else:
            like(r["sentence"], "^no fault: ", "a region that this torch compiles for each value of a global")
        d.run_out()
else:
    skip("a region that is compiled once", "this torch has none")
status, out, _ = bare(PROGRAM)
is_(said, out, "the program goes on as without cdbg")
done()
