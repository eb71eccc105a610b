#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Large element-wise nodes that graph compare computes piece by piece have the values of a whole run, and nothing else is written; so have
# nodes in an order in which less is alive.
import os
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

# Prints a line "name: answer" for each fact. The files share one namespace, as in cdbg.
PROGRAM = r"""
import sys, torch
sys.path.insert(0, sys.argv[1] + "/tests/lib")
from graph_namespace import graph_namespace
ns = graph_namespace(sys.argv[1])
ns["PIECE"] = 64
aten, prims = torch.ops.aten, torch.ops.prims
by_pieces, wide = ns["by_pieces"], ns["wide"]
torch.manual_seed(0)
plain = torch.randn(6, 8, 10, 12)
LAYOUTS = {
    "contiguous": plain,
    "channels last": plain.contiguous(memory_format=torch.channels_last),
    "transposed": plain.transpose(1, 3),
    "every second": torch.randn(12, 8, 10, 24)[::2, :, :, ::2],
    "expanded": torch.randn(6, 1, 10, 1).expand(6, 8, 10, 12),
    "with an offset": torch.randn(6 * 8 * 10 * 12 + 5)[5:].view(6, 8, 10, 12),
    "of one dimension": torch.randn(1001),
    "with a size of 1": torch.randn(1, 700, 1),
}
OPS = [
    ("exp", aten.exp.default, ()), ("tanh", aten.tanh.default, ()), ("gelu", aten.gelu.default, ()), ("silu", aten.silu.default, ()),
    ("add a scalar", aten.add.Tensor, (1.5,)), ("power", aten.pow.Tensor_Scalar, (2,)), ("greater", aten.gt.Scalar, (0,)),
    ("clamp", aten.clamp.default, (-0.5, 0.5)), ("copy", aten.clone.default, ()), ("to half", prims.convert_element_type.default, (torch.float16,)),
    ("to int", prims.convert_element_type.default, (torch.int32,)), ("square", aten.mul.Tensor, ("self",)),
    ("add its mean", aten.add.Tensor, ("row",)), ("divide by one element", aten.div.Tensor, ("one",)), ("choose", aten.where.self, ("choice",)),
]
TWO_WAYS = (aten.gelu.default, aten.silu.default)       # torch rounds full vectors and what is left of a row in different ways
def bits(t):
    return (torch.view_as_real(t.resolve_conj()) if t.is_complex() else t).contiguous().reshape(-1).view(torch.uint8)
def same(a, b, target=None):
    if (a.dtype, a.shape, a.stride()) != (b.dtype, b.shape, b.stride()):
        return False
    if target in TWO_WAYS:
        return torch.allclose(a, b, rtol=0, atol=4 * torch.finfo(a.dtype).eps)
    return torch.equal(bits(a), bits(b))
def check(name, target, args, change):
    donors = [a for a in args if isinstance(a, torch.Tensor) and a.dim()]
    before = [a.clone() for a in donors]
    whole = target(*[change(a) for a in args])
    made = by_pieces(target, args, {}, [], change)
    if made is None:
        return "whole"
    kept = all(torch.equal(a, b) for a, b in zip(donors, before))
    return "same" if same(made, whole, target) and kept else "differs by %s" % (made.double() - whole.double()).abs().max().item()
for layout, t in LAYOUTS.items():
    row = t.mean(-1, keepdim=True)
    for dtype in (torch.float32, torch.bfloat16, torch.float64):
        x, found = t.to(dtype), {}
        for name, target, more in OPS:
            args = [{"self": x, "row": row.to(dtype), "one": x.reshape(-1)[0].clone()}.get(a, a) if type(a) is str else a for a in more]
            args = [x > 0, x, row.to(dtype)] if name == "choose" else [x, *args]
            for change in (lambda v: v, wide):
                found.setdefault(check(name, target, args, change), []).append(name)
        print("%s %s: %s" % (layout, str(dtype)[6:], "same" if list(found) == ["same"] else {k: v for k, v in found.items() if k != "same"}))
c = torch.randn(40, 50, dtype=torch.complex64)
for name, x in (("complex", c), ("conjugated", c.conj()), ("negative view", c.conj().imag)):
    print("%s: %s" % (name, check(name, aten.mul.Tensor, [x, x], wide)))
e = torch.randn(0, 900)
print("without elements: %s" % check("empty", aten.add.Tensor, [e, torch.randn(1, 900)], wide))
x = torch.randn(40, 50)
y, w = x.clone(), x.exp()
made = by_pieces(aten.exp.default, (y,), {}, [y], lambda v: v)
print("into an input: %s" % ("same" if made is y and same(y, w) else "no"))
made = by_pieces(aten.gt.Scalar, (x, 0), {}, [x], lambda v: v)
print("another type is not put into an input: %s" % ("same" if made is not x and same(made, x > 0) else "no"))
class Own(torch.Tensor):
    pass
print("a class of the program: %s" % check("own", aten.exp.default, [x.as_subclass(Own)], lambda v: v))
print("sparse: %s" % (by_pieces(aten.neg.default, (x.to_sparse(),), {}, [], wide) is None and "whole"))

# ---- aliases: each node of a graph by a walk, in the pieces and without
TABLE = torch.randn(40, 50)
@torch.library.custom_op("pieces::table", mutates_args=())
def table(x: torch.Tensor) -> torch.Tensor:
    return TABLE
@table.register_fake
def _(x):
    return torch.empty(40, 50)
def graph_of(build):
    g = torch.fx.Graph()
    x = g.placeholder("x")
    g.output(build(lambda target, *args, **kw: g.call_function(target, args, kw), x))
    return ns["Kept"](g, {})
def view_alive(f, x):
    a = f(aten.mul.Tensor, x, 2); v = f(aten.view.default, a, [50, 40]); b = f(aten.exp.default, a); return f(aten.sum.default, v), b
def view_of_input(f, x):
    v = f(aten.view.default, x, [50, 40]); return f(aten.exp.default, v)
def input_itself(f, x):
    return f(aten.neg.default, f(aten.alias.default, x))
def twice(f, x):
    a = f(aten.mul.Tensor, x, 2); return f(aten.add.Tensor, a, f(aten.t.default, f(aten.t.default, a)))
def saved(f, x):
    a = f(aten.tanh.default, x); b = f(aten.mul.Tensor, a, x); return a, b, f(aten.neg.default, b)
def chain(f, x):
    a = f(aten.mul.Tensor, x, 2); b = f(aten.exp.default, a); c = f(aten.neg.default, b); return f(aten.sin.default, c)
def in_place(f, x):
    a = f(aten.mul.Tensor, x, 2); b = f(aten.add_.Tensor, a, 1); return f(aten.exp.default, b), f(aten.neg_.default, x)
def of_the_program(f, x):
    return f(aten.exp.default, f(aten.alias.default, f(torch.ops.pieces.table.default, x)))
def parts(f, x):
    import operator
    p = f(aten.split.Tensor, f(aten.mul.Tensor, x, 2), 20); a, b = f(operator.getitem, p, 0), f(operator.getitem, p, 1)
    return f(aten.exp.default, a), f(aten.neg.default, b)
def expanded(f, x):
    a = f(aten.expand.default, f(aten.sum.dim_IntList, x, [0], True), [40, 50]); return f(aten.exp.default, a)
for build in (view_alive, view_of_input, input_itself, twice, saved, chain, in_place, of_the_program, parts, expanded):
    for given in (x, x.double(), x.bfloat16()):
        kept, inputs = graph_of(build), [given.clone()]
        wanted, names, exact = {}, [n.name for n in kept.graph.nodes], {}
        def see(i, v, s):
            if isinstance(v, torch.Tensor):
                wanted[names[i]] = v.clone()
        ns["perform"](ns["Program"](kept), [v.clone() for v in inputs], see)
        before, differs = (inputs[0].clone(), TABLE.clone()), []
        class Seen(ns["Made"]):                 # the values by eager, each just before it is judged
            def take(self, name):
                made = walk[0].eager[next(n for n in walk[0].kept.graph.nodes if n.name == name)]
                if isinstance(made, torch.Tensor) and not torch.equal(bits(made), bits(wanted[name])):
                    differs.append(name)
                return self.get(name)
        class Walk(ns["Walk"]):
            def look(self, n):
                walk[:] = [self]
                return super().look(n)
        walk = []
        done = Walk(kept, inputs, Seen({k: v.clone() for k, v in wanted.items()}))
        if done.first is not None:
            differs.append("%s is called wrong" % done.first)
        # and without values of a backend: what is between two that are judged
        last = [n for n in kept.graph.nodes if n.op == "call_function"][-1].name
        alone = Walk(kept, inputs, Seen({last: wanted[last].clone()}))
        if alone.first is not None:
            differs.append("%s is called wrong alone" % alone.first)
        if not torch.equal(inputs[0], before[0]) or not torch.equal(TABLE, before[1]):
            differs.append("the program's tensor is written")
        print("%s, %s: %s" % (build.__name__.replace("_", " "), str(given.dtype)[6:], ", ".join(differs) or "same"))

# ---- the nodes in an order in which less is alive
def values_of(kept, given):
    found, names = {}, [n.name for n in kept.graph.nodes]
    def see(i, v, s):
        found[names[i]] = [t.clone() for t in ns["tensors"](v)]
    torch.manual_seed(1)
    ns["perform"](ns["Program"](kept), [given.clone()], see)
    return found
def branches(f, x):                             # as in softmax: exp is read by amax, sub and abs; the mask needs most and is small
    a = f(aten.exp.default, x); m = f(aten.amax.default, a, [1], True); s = f(aten.sub.Tensor, a, m); b = f(aten.sin.default, x)
    n = f(aten.ne.Scalar, f(aten.abs.default, a), 1); k = f(aten.any.dims, n, [1], True); w = f(aten.where.self, k, s, b)
    return f(aten.cos.default, w)
def past_a_write(f, x):
    a = f(aten.exp.default, x); v = f(aten.t.default, x); b = f(aten.add_.Tensor, x, 1); c = f(aten.mul.Tensor, b, f(aten.t.default, v))
    return f(aten.add.Tensor, c, a), f(aten.sin.default, x)
def random(f, x):
    a = f(aten.exp.default, x); r = f(aten.rand_like.default, x); b = f(aten.neg.default, x); s = f(aten.rand_like.default, b)
    return f(aten.add.Tensor, f(aten.add.Tensor, s, a), r)
for build in (branches, past_a_write, random, saved, in_place, of_the_program, parts):
    kept, differs = graph_of(build), []
    nodes, wanted = list(kept.graph.nodes), values_of(kept, x)
    for stored in ({nodes[-2].name}, {n.name for n in nodes[2::2]}, set(wanted), set()):
        moved = ns["Late"](kept, stored).reordered()
        found, names = values_of(moved, x), [n.name for n in moved.graph.nodes]
        differs += [n for n in wanted if n not in found or not all(map(torch.equal, wanted[n], found[n]))]
        if [n for n in names if n in stored] != [n.name for n in nodes if n.name in stored]:
            differs.append("the order of what is stored")
        moved.graph.lint()
        if build is branches and len(stored) == 1:
            right = names[1:5] == ["exp_default", "abs_default", "ne_scalar", "any_dims"]
            print("in another order, what takes most comes first: %s" % ("same" if right else names))
    print("in another order, %s: %s" % (build.__name__.replace("_", " "), ", ".join(differs) or "same"))
"""
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "pieces.py")
    with open(path, "w", encoding="utf-8") as f:
        f.write(PROGRAM)
    r = python(path, top, limit=300)
said = r.stdout.splitlines()
ok(len(said) > 50 and r.returncode == 0, "all cases run", r.stdout[-300:] + r.stderr[-1500:])
for line in said:
    name, _, answer = line.partition(": ")
    wanted = "whole" if name in ("a class of the program", "sparse") else "same"
    what = "" if "first" in name else ": not cut" if wanted == "whole" else ": the values of a whole run, and nothing else is written"
    is_(answer, wanted, name + what)
done()
