#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""blame tells AOTAutograd and inductor's decompositions from the links around them: each fault is planted in one of torch's passes, in a result, in
what is written to an argument, or in a gradient."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
PROGRAM = '''
    import importlib, torch, torch._dynamo
    from torch._dynamo.backends import debugging
    from torch._inductor.decomposition import decompositions
    aten = torch.ops.aten

    # ---- AOTAutograd: what it makes of an inference graph, and of a joint graph before the cut
    def after(module, name, change):
        real = getattr(module, name)
        def planted(*args, **kwargs):
            made = real(*args, **kwargs)
            change(made[0] if isinstance(made, tuple) else made)
            return made
        setattr(module, name, planted)
    def exchange(gm, table):
        for n in list(gm.graph.nodes):
            if n.target in table:
                n.target = table[n.target]
            elif n.target is aten.copy_.default and any([m.target is aten.expm1.default for m in gm.graph.nodes]):
                n.replace_all_uses_with(n.args[0])
                gm.graph.erase_node(n)
        gm.recompile()
    for name in "graph_compile", "jit_compile_runtime_wrappers":
        try:
            inside = importlib.import_module("torch._functorch._aot_autograd." + name)
        except ImportError:
            continue
        if hasattr(inside, "aot_dispatch_base_graph"):
            after(inside, "aot_dispatch_base_graph", lambda gm: exchange(gm, {aten.sinh.default: aten.cosh.default}))
    cut = debugging.min_cut_rematerialization_partition
    def cut_planted(joint, *args, **kwargs):
        exchange(joint, {aten.cos.default: aten.sin.default})
        return cut(joint, *args, **kwargs)
    debugging.min_cut_rematerialization_partition = cut_planted

    # ---- inductor's decompositions
    decompositions[aten.hardsigmoid.default] = lambda v: v.clamp(0, 1)
    decompositions[aten.silu_backward.default] = lambda g, v: g * v
    decompositions[aten.hardswish.default] = lambda v: v.abs()

    def by_aot(x):
        y = x + 1
        return y.sinh() * 2                     # another function
    def aot_write(x, out):
        out.copy_(x.expm1())
        return x * 2
    def aot_gradient(w):
        return w.sin() * 3
    def decomposed(x):
        y = x - 0.5
        return torch.nn.functional.hardsigmoid(y) * 2       # decomposed wrongly
    def decomposed_back(w):
        return torch.nn.functional.silu(w) * 2
    def lowered(x):
        y = x * 3 - 4
        return torch.nn.functional.hardswish(y)             # before inductor's own work
    def untouched(x, out):
        out.copy_(x.tanh())
        return x.exp().cos()

    x, w, out = torch.linspace(-1.0, 2.0, 4), torch.linspace(0.5, 2.0, 3).requires_grad_(), torch.zeros(4)
    for f, backend, args in ((by_aot, "aot_eager", [x]), (aot_write, "aot_eager", [x, out]), (aot_gradient, "aot_eager", [w]),
                             (decomposed, "aot_eager_decomp_partition", [x]), (decomposed_back, "aot_eager_decomp_partition", [w]),
                             (lowered, "inductor", [x]), (untouched, "aot_eager_decomp_partition", [x, out])):
        r = torch.compile(f, backend=backend, dynamic=False)(*args)
        if r.requires_grad:
            r.sum().backward()
    w.grad = None

    def stop():
        pass

    stop()
    print("end", out.tolist(), w.grad)
'''
FAULTS = (
    ("by_aot with x=x", "aot: AOTAutograd: .*sinh", "# another function", "AOTAutograd: a node calls another function"),
    ("aot_write with x=x out=out", "aot: AOTAutograd: .*", None, "AOTAutograd: an argument is not written"),
    ("-backward aot_gradient with w=w", "aot: AOTAutograd: .*", None, "AOTAutograd: a gradient"),
    ("decomposed with x=x", "partition: inductor's decompositions and partition: ", "# decomposed wrongly", "inductor's decompositions: a result"),
    ("-backward decomposed_back with w=w", "partition: inductor's decompositions and partition: ", None, "inductor's decompositions: a gradient"),
    ("lowered with x=x", "partition: inductor's decompositions and partition: ", "# before inductor's own work",
     "inductor's decompositions in a graph that inductor compiled"),
)

with Cdbg(PROGRAM) as d:
    d.do("break stop")
    d.go()
    d.do("up")
    for words, pattern, place, what in FAULTS:
        r = d.cmd("blame " + words)
        like("%s: %s" % (r.get("fault"), r.get("sentence") or r.get("error")), "^" + pattern, what)
        if place:
            is_(r.get("line"), d.line_of(place), "... at its line")
    like(d.text("blame -backward aot_gradient with w=w"), "(?m)^c .* no ", "the table's row of the link says it")
    like(d.text("blame aot_gradient with w=w"), "^no fault: ", "the result beside the wrong gradient is right")
    like(d.text("blame decomposed_back with w=w"), "^no fault: ", "... of the decomposition, too")
    like(d.text("blame untouched with x=x out=out"), "^no fault: ", "a call that no planted fault is in is right")
    d.run_out()
    said = d.out
status, out, _ = bare(PROGRAM)
is_(said, out, "the program goes on as without cdbg")
done()
