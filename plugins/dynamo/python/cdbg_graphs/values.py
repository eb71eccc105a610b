# SPDX-License-Identifier: BSD-3-Clause
"""Values in a graph: copies that share memory where the values do, values in float64, and the figures of a tensor.  Knows no graph."""
import torch
import torch.utils._pytree as pytree

from .nodes import is_shadow
from .torch_state import has_memory, over, read_as, storage_of

WIDENED = {torch.float16: torch.float64, torch.bfloat16: torch.float64, torch.float32: torch.float64,
           torch.complex32: torch.complex128, torch.complex64: torch.complex128}
SPARSE = {torch.sparse_coo: ("_indices", "_values"), torch.sparse_csr: ("crow_indices", "col_indices", "values"),
          torch.sparse_bsr: ("crow_indices", "col_indices", "values"), torch.sparse_csc: ("ccol_indices", "row_indices", "values"),
          torch.sparse_bsc: ("ccol_indices", "row_indices", "values")}
SUMMED = (torch.float16, torch.bfloat16)        # added up in float32, or the sum overflows


def dense(v):
    """A tensor of torch's own class with a storage: not sparse, quantized, on meta or fake."""
    return (isinstance(v, torch.Tensor) and type(v) in (torch.Tensor, torch.nn.Parameter) and v.layout is torch.strided
            and not v.is_quantized and v.device.type != "meta" and not is_wrapped(v))


def plain(v):
    """A tensor whose elements can be read here: its storage has memory for all of them."""
    return dense(v) and has_memory(v)


is_holder = torch.utils._python_dispatch.is_traceable_wrapper_subclass
functorch = getattr(torch._C, "_functorch", None)


def is_wrapped(t):
    """Is it a tensor that vmap or grad of functorch made, which has no elements of its own?"""
    return hasattr(functorch, "is_functorch_wrapped_tensor") and functorch.is_functorch_wrapped_tensor(t)


def copy_of(v):
    """A tensor's copy that autograd does not know, with its strides; anything else as it is."""
    if not isinstance(v, torch.Tensor):
        return v
    t = v.detach()
    if t.is_conj():                             # operators tell it from one with such values in memory
        return copy_of(t.conj()).conj()
    if dense(v) and not has_memory(v):
        return copy_without_memory(t)
    spans = plain(v) or (is_shadow(v) and v.layout is torch.strided and all([type(n) is int for n in (*t.size(), *t.stride())]))
    if not spans or any(s < 0 for s in t.stride()):
        return t.clone()
    span = 1 + sum((n - 1) * s for n, s in zip(t.size(), t.stride())) if t.numel() else 0
    whole = torch.empty(max(span, 0), dtype=t.dtype, device=t.device)
    if span:
        whole.copy_(t.as_strided((span,), (1,)))
    return whole.as_strided(t.size(), t.stride()) if span else torch.empty_strided(t.size(), t.stride(), dtype=t.dtype, device=t.device)


def copy_without_memory(t):
    return read_as(over(storage_of(t).clone(), t, *place_of_view(t)), t)


def view_in(base, v):
    """A view, with the type and the place of a tensor, of a base that has that tensor's layout; None: torch has none."""
    try:
        if v.dtype != base.dtype:
            parts = base.is_complex() and v.dtype == base.dtype.to_real()
            base = torch.view_as_real(base) if parts else base.view(v.dtype)
        return read_as(base.as_strided(v.size(), v.stride(), v.storage_offset()), v)
    except RuntimeError:
        return None


def place_of_view(v):
    return v.storage_offset(), v.size(), v.stride()


def base_of_all(found):
    """The tensor that all of these are or are views of, which AOTAutograd has to know; None: there is none, or autograd is involved."""
    bases = [v if v._base is None else v._base for v in found]
    one = all([b is bases[0] for b in bases]) and all(map(plain, (bases[0], *found))) and not any(
        [v.requires_grad or v.is_inference() for v in [*bases, *found]])
    return bases[0] if one else None


def copies_of(values, own, others=()):
    """Copies that share memory where the values do.  own: keep parameters as they are, but for `others`."""
    others = set(map(id, others))
    stores, out, sharing = {}, [], {}
    for v in values:
        if dense(v) and storage_of(v) is not None:
            sharing.setdefault(storage_of(v)._cdata, []).append(v)
    for v in values:
        if not isinstance(v, torch.Tensor) or (own and isinstance(v, torch.nn.Parameter) and id(v) not in others):
            out.append(v.detach() if isinstance(v, torch.nn.Parameter) else v)
            continue
        store = storage_of(v) if dense(v) else None
        if store is None:
            out.append(copy_of(v))
            continue
        shared = [w for w in sharing[store._cdata] if w is not v]
        if not shared:
            out.append(copy_of(v))
            continue
        base = base_of_all([v, *shared])
        if store._cdata not in stores:
            copied = store.clone()
            stores[store._cdata] = copied, None if base is None else over(copied, base, *place_of_view(base))
        copied, whole = stores[store._cdata]
        if v is base:
            out.append(whole)
        else:
            made = None if base is None else view_in(whole, v)
            out.append(read_as(over(copied, v, *place_of_view(v)), v) if made is None else made)
    return out


def repeated(t):
    """The dimensions along which an expanded tensor has the same memory again and again."""
    if not (plain(t) or (is_shadow(t) and t.layout is torch.strided)) or not t.numel():
        return []
    return [d for d, (n, s) in enumerate(zip(t.size(), t.stride())) if type(s) is int and s == 0 and type(n) is int and n > 1]


def held_once(t, dims):
    for d in dims:
        t = t.narrow(d, 0, 1)
    return t


def changed_once(t, change):
    """change(t) of each element; an expanded tensor stays one."""
    dims = repeated(t)
    return change(held_once(t, dims)).expand(t.shape) if dims else change(t)


def wide(v):
    """The value in float64 or complex128, expanded where it is; a dtype argument becomes that dtype."""
    if isinstance(v, torch.dtype):
        return WIDENED.get(v, v)
    if not isinstance(v, torch.Tensor) or v.dtype not in WIDENED:
        return v
    if v.is_conj():
        return wide(v.conj()).conj()
    if dense(v) and not has_memory(v):
        return wide_without_memory(v)
    return changed_once(v, lambda t: t.to(WIDENED[t.dtype]))


def wide_without_memory(v):
    """The same of a tensor whose storage is too small: of the elements that this one has."""
    store, size = storage_of(v), v.element_size()
    held = over(store, v, 0, (store.nbytes() // size,), (1,)).to(WIDENED[v.dtype])
    return read_as(over(held.untyped_storage(), held, *place_of_view(v)), v)


def tensors(v):
    return [t for t in pytree.tree_leaves(v) if isinstance(t, torch.Tensor)]


def parts_in(found):
    """The plain tensors in those of other classes that say what they hold, as DTensor does; others as they are."""
    parts = []
    for t in found:
        holds = t.__tensor_flatten__()[0] if is_holder(t) else None
        parts += parts_in([getattr(t, name) for name in holds]) if holds else [t]
    return parts


in_place = row_in_place = None                  # cdbg's own functions, which read elements where they lie, or None


def use_numbers(numbers, row):
    global in_place, row_in_place
    in_place, row_in_place = numbers, row


def figures(t):
    """(min, max, mean, NaN count, Inf count) of a tensor, five times None where it has none.  The first three are of the finite
    elements, None if there is none."""
    found = in_place(t) if in_place else None
    if found is not None:
        return found
    if isinstance(t, (list, tuple)):            # a graph's results may have None among them
        found = [v for v in t if isinstance(v, torch.Tensor)]
        return figures_of_all(found) if found else (None,) * 5
    while isinstance(t, torch.Tensor) and is_wrapped(t):        # of all that vmap maps over
        t = functorch.get_unwrapped(t)
    if isinstance(t, torch.Tensor) and is_holder(t):            # parts of several kinds: how many of their elements are NaN or Inf
        odd = [f[3:] for f in map(figures, parts_in([t])) if f[3] is not None]
        return (None, None, None, sum([nan for nan, _ in odd]), sum([inf for _, inf in odd])) if odd else (None,) * 5
    if not plain(t) or not t.numel():
        return (None,) * 5
    if t.is_complex():
        t = torch.view_as_real(t.resolve_conj())
    if t.dtype == torch.bool:
        ones = int(t.sum())
        return (bool(ones == t.numel()), bool(ones), ones / t.numel(), 0, 0)
    try:
        low, high = torch.aminmax(t)
    except (RuntimeError, NotImplementedError):
        return (None,) * 5
    if not t.is_floating_point():
        return (int(low), int(high), float(t.to(torch.float64).mean()), 0, 0)
    total = t.sum(dtype=torch.float32) if t.dtype in SUMMED else t.sum()
    low, high, total = torch.stack((low.to(total.dtype), high.to(total.dtype), total)).tolist()
    if total - total == 0.0:                    # a finite sum: neither NaN nor Inf in it
        return (low, high, total / t.numel(), 0, 0)
    nan, inf = int(torch.isnan(t).sum()), int(torch.isinf(t).sum())
    finite = t[torch.isfinite(t)] if nan or inf else t
    if not finite.numel():
        return (None, None, None, nan, inf)
    low, high = torch.aminmax(finite)
    return (low.item(), high.item(), float(finite.to(torch.float64).mean()), nan, inf)


def stored(v):
    """The tensors whose memory holds the elements of a value: parts of lists, of other classes and of sparse tensors.  One on meta has
    no memory."""
    found = []
    for t in tensors(parts_in(tensors(v))):
        while is_wrapped(t):
            t = functorch.get_unwrapped(t)
        parts = [getattr(t, name)() for name in SPARSE.get(t.layout, ())] if not t.is_nested else []
        found += [part for part in parts or [t] if part.device.type != "meta" and part.layout is torch.strided]
    return found


def bytes_stored(v):
    """The bytes of a value's elements; None: it has none."""
    return sum([t.numel() * t.element_size() for t in stored(v)]) if tensors(v) else None


def is_list(v):
    """A list or tuple of tensors only?"""
    return isinstance(v, (list, tuple)) and len(v) > 0 and all([isinstance(t, torch.Tensor) for t in v])


def figures_of_all(found):
    """figures() of several tensors together, if all of them have some, and of the same kind."""
    each, kinds = [figures(t) for t in found], {(t.dtype.is_floating_point, t.dtype == torch.bool) for t in found}
    if any([f[3] is None for f in each]) or len(kinds) > 1:
        return (None,) * 5
    ranges = [(f, t.numel() - f[3] - f[4]) for f, t in zip(each, found) if f[0] is not None]
    odd = sum([f[3] for f in each]), sum([f[4] for f in each])
    count = sum([n for _, n in ranges])
    if not count:
        return (None, None, None, *odd)
    low, high = min([f[0] for f, _ in ranges]), max([f[1] for f, _ in ranges])
    return (low, high, sum([f[2] * (n / count) for f, n in ranges]), *odd)


def size_of(v):
    return v.numel() * v.element_size() if isinstance(v, torch.Tensor) and v.layout is torch.strided else None
