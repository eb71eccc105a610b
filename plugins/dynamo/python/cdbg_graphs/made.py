# SPDX-License-Identifier: BSD-3-Clause
"""The node that makes a NaN or an Inf, and its inputs; also among the nodes of one kernel, which only their text describes.  Knows no command."""
import ast
import operator
import re

import torch
import torch.fx
import torch.utils._pytree as pytree

from .apart import apart
from .errors import Refused
from .inputs import is_foreign
from .nodes import CALLS, LARGE, is_harmless_function, is_unset
from .values import copy_of, figures, plain, size_of, tensors


# ---- a node and its inputs -----------------------------------------------------------------------------------------------

def given_values(spec, value, out):
    """{name of a node: value} of what a call is given.  spec: its arguments in the graph; value: the same with values."""
    if isinstance(spec, torch.fx.Node):
        out.setdefault(spec.name, value)
    elif isinstance(spec, (list, tuple)):
        for s, v in zip(spec, value):
            given_values(s, v, out)
    elif isinstance(spec, dict):
        for k in spec:
            given_values(spec[k], value[k], out)
    return out


def odd_in(values):
    """(a NaN, an Inf) in tensors or numbers, of the program's or of nodes."""
    nan = inf = False
    for v in pytree.tree_leaves(values):
        if isinstance(v, float):
            nan, inf = nan or v != v, inf or v in (float("inf"), -float("inf"))
        elif isinstance(v, torch.Tensor):
            counts = figures(v)[3:]
            nan, inf = nan or bool(counts[0]), inf or bool(counts[1])
    return nan, inf


def elements_of(v):
    return sum([t.numel() for t in tensors(v)])


def read_at(t, where):
    """The elements of an input from which those of the result at `where`, a mask, were computed; None: that is not known."""
    if t.dim() > where.dim() or any([a not in (1, b) for a, b in zip(reversed(t.shape), reversed(where.shape))]):
        return None
    return t.expand(where.shape)[where]


COMPARED = (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8)


def comparable(v):
    """The elements of a value as torch compares all of them, those in eight bits and of unsigned integers in float64; None: it cannot."""
    if not isinstance(v, torch.Tensor) or not plain(v) or v.is_complex() or v.dtype == torch.bool:
        return None
    try:
        return v.detach() if v.dtype in COMPARED else v.detach().to(torch.float64)
    except RuntimeError:                        # bits, which have no value
        return None


def why_words(t, result, nan):
    """What the elements of an input have in common where the result is NaN, or Inf: "58 negative", "2 zero"; None: nothing is certain."""
    mask = (torch.isnan if nan else torch.isinf)(result)
    found = read_at(t, mask)
    if found is None or not found.numel():
        return None
    if bool((found == 0).all()):
        return "zero"
    return "negative" if bool((found < 0).all()) else None


def about_input(name, v, result):
    """What is reported of an input of the node with this result: zeros and negatives only where they explain it, else None."""
    low, high, _, nan, inf = figures(v)
    zeros = negatives = None
    t, made = comparable(v), comparable(result)
    if t is not None and made is not None and t.device == made.device:
        words = {why_words(t, made, True), why_words(t, made, False)}
        zeros = int((t == 0).sum()) if "zero" in words else None
        negatives = int((t < 0).sum()) if "negative" in words else None
    return {"node": name, "elements": elements_of(v), "min": low, "max": high, "nan": nan, "inf": inf, "zeros": zeros, "negatives": negatives}


MOST_INPUTS = 4                                 # are told of a node that has many


def about_made(name, v, given, new):
    """What is reported of the node that makes the first.  given: {name: value}.  new: (the first NaN, the first Inf?)"""
    f = figures(v)
    with torch.no_grad():
        inputs = [about_input(k, t, v) for k, t in given.items() if isinstance(t, torch.Tensor)][:MOST_INPUTS]
    return {"node": name, "nan": f[3] or 0, "inf": f[4] or 0, "elements": elements_of(v), "inputs": inputs,
            "first_nan": new[0], "first_inf": new[1]}


class First:
    """The first node that makes a NaN, and the first that makes an Inf, which its arguments had not: as about_made()."""
    def __init__(self):
        self.nan = self.inf = None
        self.made = []                          # those two in their order, one that is both once
        self.given = {}                         # program: (index, args, kwargs) of the call that runs, as before it

    def complete(self):
        return self.nan is not None and self.inf is not None

    def before(self, program):
        """The function that perform() calls before each call."""
        writers, given = program.writers(), self.given

        def note(i, args, kwargs):
            live = (args, kwargs)
            given[program] = (i, live, None) if i not in writers else (i, pytree.tree_map_only(torch.Tensor, copy_of, live), live)
        return note

    def after(self, program, i, name, v):
        """A node has this value, or has written its arguments.  True: it made a NaN or Inf that these had not."""
        n, (at, had, written) = program.nodes[i], self.given.get(program, (None, (), None))
        if n.op not in CALLS or n.op == "get_attr" or is_unset(n) or at != i:
            return False                        # what memory holds before it is written was not made by a node
        if written is not None and figures(v)[3] is None:
            v = tensors(written)
        odd, before = odd_in([v, written]), odd_in(had)
        nan, inf = [is_odd and not was and known is None for is_odd, was, known in zip(odd, before, (self.nan, self.inf))]
        if nan or inf:
            made = about_made(name, v, given_values((n.args, n.kwargs), had, {}), (nan, inf))
            self.made.append(made)
            self.nan, self.inf = made if nan else self.nan, made if inf else self.inf
        return nan or inf


# ---- the nodes of a kernel ------------------------------------------------------------------------------------------------

READ_BY_NAME = {"torch": torch, "inf": float("inf"), "nan": float("nan"), "device": torch.device, "float": float, "slice": slice}
LITERALS = (ast.Expression, ast.Call, ast.Tuple, ast.List, ast.Dict, ast.Constant, ast.Name, ast.Attribute, ast.UnaryOp, ast.USub, ast.Load, ast.keyword)


def read_arguments(text, values):
    """(args, kwargs) of a node's arguments as text, in which the names of nodes stand for their values."""
    tree = ast.parse("_(%s)" % text, mode="eval")
    for n in ast.walk(tree):
        name = n.id if isinstance(n, ast.Name) else None
        strange = not isinstance(n, LITERALS) or (isinstance(n, ast.Attribute) and not (isinstance(n.value, ast.Name) and n.value.id == "torch")) or (
            name is not None and name != "_" and name not in values and name not in READ_BY_NAME)
        if strange:
            raise Refused("the arguments '%s' cannot be read" % text)
    return eval(compile(tree, "<arguments>", "eval"), {"__builtins__": {}, **READ_BY_NAME, **values, "_": lambda *args, **kwargs: (args, kwargs)})


def operator_named(target):
    """The operator of torch that a text names, "aten.mul.Tensor", or a function of Python's operator module."""
    names = target.split(".")
    if names[0] == "operator" and len(names) == 2:
        return getattr(operator, names[1])
    found = torch.ops
    for name in names:
        found = getattr(found, name)
    if not isinstance(found, torch._ops.OpOverload) or not is_harmless_function(found) or is_foreign(found) or (
            torch.Tag.nondeterministic_seeded in found.tags):
        raise Refused("'%s' cannot be run alone" % target)
    return found


def same_odd(a, b):
    """Have two values as many NaN and Inf?"""
    return figures(a)[3:] == figures(b)[3:]


def same_value(a, b):
    """Is it the same value, rounding aside, perhaps of another shape?"""
    if not isinstance(a, torch.Tensor) or a.numel() != b.numel() or a.dtype != b.dtype:
        return False
    if a.is_floating_point() and a.dtype not in COMPARED:
        a, b = a.to(torch.float64), b.to(torch.float64)
    return torch.allclose(a.reshape(-1), b.reshape(-1), rtol=1e-2, atol=1e-6, equal_nan=True)


def made_in_kernel(nodes, given, made, unknown, held):
    """nan, inf: the nodes of a kernel that make its first NaN and its first Inf, as about_made(), or None; None: not certain.  nodes: (name, target, arguments as
    text) in order.  given: {name: value} of what the kernel reads.  made: {name: value} of what it wrote: the
    nodes must have as many NaN and Inf.  unknown: what it wrote for nodes that are not known: some of these must have it.  held: {name: see tensor_before()}."""
    values = {**given, **{name: tensor_before(*parts) for name, parts in held.items()}}
    reads = sum([size_of(v) or 0 for v in values.values()])
    if reads * (len(nodes) + 1) > LARGE:
        return None
    first = [None, None]
    with apart(), torch.no_grad():
        for name, target, text in nodes:
            args, kwargs = read_arguments(text, values)
            v = values[name] = operator_named(target)(*args, **kwargs)
            new = [is_odd and not had and known is None for is_odd, had, known in zip(odd_in([v]), odd_in([args, kwargs]), first)]
            if any(new):
                read = {n.id: values[n.id] for n in ast.walk(ast.parse("_(%s)" % text)) if isinstance(n, ast.Name) and n.id in values}
                row = about_made(name, v, read, new)
                first = [row if is_new else known for is_new, known in zip(new, first)]
        same = all([same_odd(values[name], v) for name, v in made.items()]) and all([
            any([same_value(values[name], v) for name, _, _ in nodes]) for v in unknown])
        return {"nan": first[0], "inf": first[1]} if any(first) and same else None


def tensor_before(t, data, value, stride, concrete):
    """What a node's tensor held when its memory, which is t's now, had these bytes.  value: "f32[2,4] cpu"; stride: "[4,1]"; concrete:
    "[2,4] [4,1]", where those have symbols, or None."""
    sizes = re.findall(r"\[(.*?)\]", concrete or "%s %s" % (value, stride))
    size, step = ([int(n) for n in text.split(",") if n] for text in sizes)
    return torch.frombuffer(data, dtype=t.dtype).as_strided(size, step)
