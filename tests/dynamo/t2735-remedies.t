#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A remedy states only what was seen: for each one a function for which it is true, and a similar one for which it is not.  Where
# a remedy can be tried, the program does what it says and is compiled once.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = '''
import torch
import torch._dynamo as dynamo

class Thing:
    def __init__(self, **values):
        self.__dict__.update(values)

class Net(torch.nn.Module):
    def __init__(self, value):
        super().__init__()
        self.value = value
    def forward(self, x):
        return x * self.value

class Weighted(torch.nn.Module):
    def __init__(self, n, buffer=False):
        super().__init__()
        w = torch.ones(n)
        if buffer:
            self.register_buffer("w", w)
        else:
            self.w = torch.nn.Parameter(w)
    def forward(self):
        return self.w * 2

def X(*n):
    return torch.ones(*n)

def marked(n, **how):
    x = X(n)
    dynamo.mark_dynamic(x, 0, **how)
    return x

def unbacked(n):
    x = X(n)
    dynamo.decorators.mark_unbacked(x, 0)
    return x

made = []
def case(name, f, *calls, **how):
    """Compiles a function that is named as the case, and calls it; how many graphs that made."""
    scope = {"f": f}
    exec("def %s(*args):\\n    return f(*args)\\n" % name, scope)
    graphs = []
    def backend(gm, inputs):
        graphs.append(gm)
        return gm.forward
    compiled = torch.compile(scope[name], backend=backend, **how)
    for args in calls:
        compiled(*(args() if callable(args) else args))
    made.append("%s %d" % (name, len(graphs)))

twice = lambda x: x * 2
scale = lambda x, k: x * k
table = {2: X(3), 3: X(3), 4: X(3), 2.5: X(3), 3.5: X(3)}
look = lambda x, k: x * table[k]
branch = lambda x: x * 2 if x.shape[0] > 5 else x * 3
add = lambda x, y: x.sum() + y.sum()
attribute = lambda x, o: x * o.value
held = lambda o: o.w * 2
number = 2
def by_global(x):
    return x * number
def set_number(v):
    global number
    number = v
    return (X(3),)
box = {"a": None}
def put(x):
    box["a"] = x + 1
    return x.sum()
def grow_box():
    box[len(box)] = 0
    return (X(3),)
kept = {}
def once(x):
    if "buf" not in kept:
        kept["buf"] = x.clone()
    return kept["buf"] + x
seen = []
def append(x):
    seen.append(1)
    return x + len(seen)
grown = []
def read(x):
    return x + len(grown)
def grow():
    grown.append(1)
    return (X(3),)
total = lambda xs: sum(xs)
count = lambda x, xs: x * len(xs)
mode = lambda x, o: x * 2 if o.training else x
steps = lambda x, o: x * 2 if o.training_steps == "a" else x

# sizes
case("sizes", twice, (X(3),), (X(4),))
case("sizes_done", twice, (X(3),), (X(4),), dynamic=True)
case("sizes_marked", twice, (marked(3),), (marked(4),))
case("size_one", twice, (X(3),), (X(1),), dynamic=True)
case("size_was_one", twice, (X(1),), (X(4),))
case("size_one_done", twice, (unbacked(3),), (unbacked(1),), (unbacked(4),))
case("size_needed", lambda x: x * x.shape[0] if x.shape[0] == 5 else x, (X(5),), (X(8),), dynamic=True)
case("parameters", lambda m: m(), (Weighted(3),), (Weighted(4),))
case("buffers", lambda m: m(), (Weighted(3, True),), (Weighted(4, True),))
case("held_tensor", held, (Thing(w=X(3)),), (Thing(w=X(4)),))
with dynamo.config.patch(force_parameter_static_shapes=False):
    case("parameters_done", lambda m: m(), (Weighted(3),), (Weighted(4),), (Weighted(5),), dynamic=True)
    case("buffers_done", lambda m: m(), (Weighted(3, True),), (Weighted(4, True),), (Weighted(5, True),), dynamic=True)
case("compared", branch, (X(3),), (X(8),), dynamic=True)
case("declared", twice, (marked(3, min=2, max=5),), (X(8),))
case("declared_done", twice, (marked(3, min=2, max=9),), (X(8),))
case("ducks", add, (X(5), X(5)), (X(5), X(3)), dynamic=True)
with torch.fx.experimental._config.patch(use_duck_shape=False):
    case("ducks_done", add, (X(5), X(5)), (X(5), X(3)), dynamic=True)
case("ordered", lambda x, y: x.sum() * 2 if x.shape[0] < y.shape[0] else y.sum(), (X(5), X(7)), (X(5), X(3)), dynamic=True)
case("divided", lambda x: x.view(-1, 2) if x.shape[0] % 2 == 0 else x, (X(4),), (X(5),), dynamic=True)
case("layout", lambda x: x * 2, (X(3, 4),), (X(4, 3).t(),), dynamic=True)
case("ranks", twice, (X(3),), (X(3, 3),), dynamic=True)
case("dtypes", twice, (X(3),), (X(3).double(),))
case("devices", twice, (X(3),), (torch.ones(3, device="meta"),))
case("graded", twice, (X(3),), (X(3).requires_grad_(),))

# numbers
case("ints", scale, (X(3), 2), (X(3), 3))
case("ints_done", scale, (X(3), 2), (X(3), 3), (X(3), 4), dynamic=True)
case("ints_tensor", scale, (X(3), torch.tensor(2)), (X(3), torch.tensor(3)))
case("floats", scale, (X(3), 2.5), (X(3), 3.5))
case("floats_done", scale, (X(3), 2.5), (X(3), 3.5), (X(3), 4.5), dynamic=True)
case("mixed", scale, (X(3), 2), (X(3), 2.5))
case("int_key", look, (X(3), 2), (X(3), 3), (X(3), 4))
case("float_key", look, (X(3), 2.5), (X(3), 3.5), dynamic=True)
case("module_int", lambda x, m: m(x), (X(3), Net(2)), (X(3), Net(3)))
with dynamo.config.patch(allow_unspec_int_on_nn_module=True):
    case("module_int_done", lambda x, m: m(x), (X(3), Net(2)), (X(3), Net(3)), (X(3), Net(4)), dynamic=True)
case("module_float", lambda x, m: m(x), (X(3), Net(2.5)), (X(3), Net(3.5)))
case("object_int", attribute, (X(3), Thing(value=2)), (X(3), Thing(value=3)))
case("object_int_done", attribute, (X(3), Thing(value=2)), (X(3), Thing(value=3)), (X(3), Thing(value=4)), dynamic=True)
case("global_int", by_global, lambda: set_number(2), lambda: set_number(3))
case("global_float", by_global, lambda: set_number(2.5), lambda: set_number(3.5))
case("nans", scale, (X(3), 2.5), (X(3), float("nan")), dynamic=True)

# other constants
case("training", mode, (X(3), Net(1).train()), (X(3), Net(1).eval()))
case("not_training", steps, (X(3), Thing(training_steps="a")), (X(3), Thing(training_steps="b")))
case("texts", lambda x, s: x * len(s), (X(3), "a"), (X(3), "bb"))

# lengths
case("length_by_program", put, lambda: (X(3),), grow_box, grow_box)
case("length_once", once, (X(3),), (X(3),), (X(3),))
case("length_each_call", append, (X(3),), (X(3),), (X(3),))
case("length_read", read, lambda: (X(3),), grow)
case("length_tensors", total, ([X(3)],), ([X(3)] * 2,))
case("length_items", count, (X(3), [1]), (X(3), [1, 2]))
print("\\n".join(made))
'''

# case: what its remedies say, and what they must not say
SAYS = {
    "sizes": ("mark_dynamic.*dynamic=True", "unbacked|static|depends|compares"),
    "size_one": ("mark_unbacked", "mark_dynamic|compares"),
    "size_was_one": ("mark_unbacked", "mark_dynamic"),
    "size_needed": ("depends on this size", "mark_dynamic|or torch.compile"),
    "parameters": ("force_parameter_static_shapes = False", "mark_dynamic"),
    "buffers": ("force_parameter_static_shapes = False", "mark_dynamic"),
    "held_tensor": ("mark_dynamic", "static_shapes|one module"),
    "compared": ("compares this size", "mark_dynamic|torch._check"),
    "declared": ("declare one that holds all sizes", "compares|fixes"),
    "ducks": ("use_duck_shape = False", "fixes|compares|mark_dynamic"),
    "ordered": ("compares this size", "duck|mark_dynamic"),
    "divided": ("divides this size", "fixes|compares"),
    "layout": (r"one memory layout", "fixes|compares|device"),
    "ranks": ("number of dimensions", "mark_dynamic|dynamic=True"),
    "dtypes": ("one dtype", "device|layout"),
    "devices": ("one device", "dtype|layout"),
    "graded": ("requires_grad", "device|inference"),
    "ints": (r"dynamic=True\), or pass torch.tensor", "module|global|depends"),
    "floats": (r"dynamic=True\), or pass torch.tensor", "module|global|depends"),
    "mixed": ("one type", "dynamic"),
    "int_key": ("depends on the value of this number", "size"),
    "float_key": ("depends on the value of this number", "size"),
    "module_int": ("allow_unspec_int_on_nn_module", "dynamic=True"),
    "module_float": ("in a buffer", "allow_unspec_int|each value"),
    "object_int": (r"dynamic=True", "allow_unspec_int|each value"),
    "global_int": ("integers in globals are constants", "dynamic=True"),
    "global_float": (r"dynamic=True", "globals are constants"),
    "nans": ("nan", "size"),
    "training": ("two entries are expected", "few values"),
    "not_training": ("few values", "two entries are expected"),
    "texts": ("few values", "global|attribute|dynamic"),
    "length_by_program": ("leaves its length as it is", "changes its length in|changed its length|return the new"),
    "length_once": ("changed its length in a call", "in each call"),
    "length_each_call": ("changes its length in each call", "pad|leaves its length"),
    "length_read": ("keep one length", "function|stack"),
    "length_tensors": (r"torch.stack\(\)", "function"),
    "length_items": ("or pad it", "function|stack"),
}
ONCE = ("sizes_done", "sizes_marked", "size_one_done", "parameters_done", "buffers_done", "declared_done", "ducks_done", "ints_done",
        "ints_tensor", "floats_done", "module_int_done", "object_int_done")

said, doubled, odd = {}, [], []
with Cdbg(PROGRAM) as d:
    d.do("catch recompile")
    d.go()
    while d.stop and d.reason == "recompile":
        rows = d.rows("guard why")
        of = {e["entry"]: e["function"] for e in d.rows("info entries")}
        for row in rows:
            name = of.get(row["entry"], "?")
            said.setdefault(name, []).append(row.get("remedy") or "")
            for part in (row.get("live") or "").split(", "):
                left, _, right = part.partition(" = ")
                if right and left == right:
                    odd.append(row)
        keys = [(r["entry"], r["text"]) for r in rows]
        doubled += [k for k in keys if keys.count(k) > 1]
        d.go()
is_(doubled, [], "no condition of an entry is listed twice")
is_(odd, [], "no number is shown as equal to itself")
for name, (yes, no) in SAYS.items():
    text = "\n".join(said.get(name, ["none: %s" % sorted(said)]))
    like(text, yes, name + ": the remedy")
    unlike(text, no, name + ": nothing that is not so")
status, out, err = bare(PROGRAM)[:3]
graphs = dict(line.split() for line in out.splitlines() if " " in line)
is_([n for n in ONCE if graphs.get(n) != "1"], [], "what the remedies say is compiled once" + ("" if not status else err[-300:]))
done()
