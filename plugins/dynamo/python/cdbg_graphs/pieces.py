# SPDX-License-Identifier: BSD-3-Clause
"""Element-wise operations on large values, computed piece by piece, so that no input is widened as a whole, and into the memory
of an input that nothing reads any more.  Knows no backend."""
import weakref

import torch
import torch.utils._pytree as pytree

from .nodes import is_harmless, is_random, is_shadow
from .values import plain, tensors

PIECE = 1 << 17                                 # elements that are computed at once
CONVERTS = ("prims::convert_element_type",)     # element-wise, but torch does not mark it


def is_elementwise(n, known):
    """Does this node compute each element of its only result from elements at the same place, and write none of its arguments?"""
    if n.op != "call_function" or not isinstance(n.target, torch._ops.OpOverload) or is_random(n) or not is_harmless(n, known):
        return False
    made = n.target._schema.returns
    return (torch.Tag.pointwise in n.target.tags or n.target._schema.name in CONVERTS) and len(made) == 1 and (
        str(made[0].type) == "Tensor")


def cuts_of(shape, order):
    """[[(dimension, start, length)]]: places of pieces that make up the whole, outermost dimensions first."""
    cuts, todo = [], [[(d, 0, shape[d]) for d in order]]
    while todo:
        cut = todo.pop()
        size = 1
        for _, _, length in cut:
            size *= length
        if size <= PIECE:
            cuts.append(cut)
            continue
        k = next(k for k, c in enumerate(cut) if c[2] > 1)
        d, start, length = cut[k]
        half = length // 2
        todo += [[*cut[:k], (d, at, of), *cut[k + 1:]] for at, of in ((start + half, length - half), (start, half))]
    return cuts


def piece_of(t, shape, cut):
    t = t.expand(shape)
    for d, start, length in cut:
        if length != shape[d]:
            t = t.narrow(d, start, length)
    return t


def on_meta(v, change):
    """The value as `change` makes it, without memory."""
    if not isinstance(v, torch.Tensor):
        return change(v)
    return change(torch.empty_strided(v.shape, v.stride(), dtype=v.dtype, device="meta"))


def can_be_cut(t):
    return (plain(t) or is_shadow(t)) and t.layout is torch.strided and not t.is_nested


def by_pieces(target, args, kwargs, donors, change):
    """What an element-wise operation makes of arguments to which `change` is applied piece by piece; None if they are small or cannot be cut.
    donors: tensors whose memory may become the result's."""
    flat, spec = pytree.tree_flatten((args, kwargs))
    found = [t for t in flat if isinstance(t, torch.Tensor)]
    if max([t.numel() for t in found], default=0) < 2 * PIECE or not all(map(can_be_cut, found)) or any(
            [isinstance(v, torch.device) for v in flat]):
        return None

    def result_of(values):
        args, kwargs = pytree.tree_unflatten(values, spec)
        return target(*args, **kwargs)
    try:
        like = result_of([on_meta(v, change) for v in flat])
    except Exception:                           # an operation that needs values
        return None
    if like.shape != torch.broadcast_shapes(*[t.shape for t in found]):
        return None
    whole = next((t for t in donors if (t.shape, t.stride(), t.dtype) == (like.shape, like.stride(), like.dtype)), None)
    if whole is None:
        device = max(found, key=lambda t: t.dim()).device
        whole = torch.empty_strided(like.shape, like.stride(), dtype=like.dtype, device=device)
    cuts = cuts_of(like.shape, sorted(range(like.dim()), key=lambda d: -like.stride(d)))
    for cut in cuts[:1] if is_shadow(whole) else cuts:
        values = [piece_of(v, like.shape, cut) if isinstance(v, torch.Tensor) and v.dim() else v for v in flat]
        piece_of(whole, like.shape, cut).copy_(result_of([change(v) for v in values]))
    return whole


# ---- products of matrices ------------------------------------------------------------------------------------------------------

FACTORS = {"aten::mm": (None, "self", "mat2"), "aten::addmm": ("self", "mat1", "mat2"), "aten::bmm": (None, "self", "mat2")}


def is_product(n):
    return isinstance(n.target, torch._ops.OpOverload) and n.target._schema.name in FACTORS and n.target._overloadname == "default"


def parts_of_product(a, b):
    """[(place in the result, dimension and part of a, the same of b)]; the parts of a and b are small along the longest dimension."""
    kept, sizes = (slice(None),), {"rows": a.shape[-2], "inner": a.shape[-1], "columns": b.shape[-1]}
    longest = "batch" if a.dim() == 3 and a.shape[0] > 1 else max(sizes, key=sizes.get)
    length = a.shape[0] if longest == "batch" else sizes[longest]
    step = max(1, PIECE * length // max(a.numel(), b.numel(), 1))
    before = kept * (a.dim() - 2)
    for i in range(0, length, step):
        cut = slice(i, i + step)
        if longest == "batch":
            yield (cut,), (cut,), (cut,)
        elif longest == "rows":
            yield (*before, cut), (*before, cut), ()
        elif longest == "columns":
            yield (*before, slice(None), cut), (), (*before, slice(None), cut)
        else:
            yield (), (*before, slice(None), cut), (*before, cut)


def product_by_pieces(target, args, kwargs, change):
    """A product of matrices in float64, whose factors are widened piece by piece; None if they are small or not of that kind."""
    names = [a.name for a in target._schema.arguments]
    named = {**dict(zip(names, args)), **kwargs}
    added, a, b = (named.get(name) for name in FACTORS[target._schema.name])
    found = [t for t in (added, a, b) if t is not None]
    if not all([isinstance(t, torch.Tensor) and can_be_cut(t) and t.is_floating_point() for t in found]) or (
            max(a.numel(), b.numel()) < 2 * PIECE) or set(named) - {"self", "mat1", "mat2", "beta", "alpha"}:
        return None
    whole = torch.zeros((*a.shape[:-1], b.shape[-1]), dtype=torch.float64, device=a.device)
    parts = list(parts_of_product(a, b))
    same = {id(t): change(t) for t, k in ((a, 1), (b, 2)) if not parts[0][k]}           # read by every part
    for place, of_a, of_b in parts[:1] if is_shadow(whole) else parts:
        left, right = (same[id(t)] if not of else change(t[of]) for t, of in ((a, of_a), (b, of_b)))
        whole[place] += torch.matmul(left, right)
    if added is not None:
        whole *= named.get("alpha", 1)
        for cut in cuts_of(whole.shape, range(whole.dim())):
            piece_of(whole, whole.shape, cut).add_(change(piece_of(added, whole.shape, cut)), alpha=named.get("beta", 1))
    return whole


class Owned:
    """Which values in some tables, {node: value}, are in memory that a walk allocated and nothing else reads."""
    def __init__(self, *tables):
        self.tables, self.outside = tables, {}  # outside: storages that are not the walk's, by address

    def leave_out(self, v):
        """This value's memory is not the walk's, or something else reads it."""
        for key, store in self.stores(v):
            self.outside[key] = weakref.ref(store)

    def stores(self, v):
        """[(address, storage)] of the tensors in a value."""
        found = []
        for t in tensors(v):
            try:
                store = t.untyped_storage()
            except Exception:                   # a class without memory of its own
                continue
            found.append((store._cdata, store))
        return found

    def free(self, table, nodes):
        """The tensors of these nodes in one of the tables whose memory has no other reader."""
        found = []
        for a in nodes:
            t = table.get(a)
            if not isinstance(t, torch.Tensor) or t.numel() < 2 * PIECE or not can_be_cut(t):
                continue
            own = t.untyped_storage()._cdata
            if own in self.outside and self.outside[own]() is not None:         # else the address is used again
                continue
            others = [v for names in self.tables for b, v in names.items() if names is not table or b is not a]
            if not any([key == own for v in others for key, _ in self.stores(v)]):
                found.append(t)
        return found
