# SPDX-License-Identifier: BSD-3-Clause
"""How far a result depends on where the values that it is computed from were rounded.
Judges nothing."""
import torch

from .nodes import numbers_of
from .values import plain

ROUNDED_AGAIN = 3                               # runs of eager in which values are rounded otherwise
ROUNDED_OFTEN = 24                              # the same where elements jump: each of two ways is met then
WIDELY = 4                                      # units of the last place in those runs: functions as exp() round more
SMOOTH = 1000.0                                 # an element that differs by so many times as much as most others jumps

# As text, because save.py writes it into its programs.
OTHER_ROUNDING = '''\
import torch.utils._python_dispatch
from torch._decomp import decomposition_table


def one_by_one(v, dims, step=8192, most=1 << 22):
    """The sum over dimensions as a kernel's loop makes it, which keeps them; eager adds pairwise, which rounds less."""
    dims = sorted({d % v.dim() for d in dims}) if v.dim() else []
    rest = [d for d in range(v.dim()) if d not in dims]
    flat = v.permute(rest + dims).reshape([v.shape[d] for d in rest] + [-1]) if dims else v.unsqueeze(-1)
    while flat.shape[-1] > 1 and flat.numel() <= most:
        rows = -(-flat.shape[-1] // step)
        each = min(flat.shape[-1], step)
        flat = torch.constant_pad_nd(flat, (0, rows * each - flat.shape[-1])).unflatten(-1, (rows, each))
        total = flat[..., 0].clone()
        for i in range(1, each):
            total += flat[..., i]
        flat = total
    return flat.sum(-1).view([1 if d in dims else v.shape[d] for d in range(v.dim())])


def summed_otherwise(v, dims):
    """The sum that is farthest off of those that one_by_one() makes of values whose last bits differ: these decide how equal values add up."""
    exact, farthest = v.double().sum(dims, keepdim=True) if v.dim() else v.double(), None
    for k in range(-2, 3):
        near = v * (1 + k * torch.finfo(v.dtype).eps)
        off = one_by_one(near, dims).double() - (near.double().sum(dims, keepdim=True) if v.dim() else near.double())
        farthest = off if farthest is None else torch.where(off.abs() > farthest.abs(), off, farthest)
    return (exact + farthest).to(v.dtype)


class OtherRounding(torch.utils._python_dispatch.TorchDispatchMode):
    """In the block, each element that an operation rounds differs by up to so many units of its last place, a zero may have the other sign, and
    sums are made by adding one value after the other."""
    supports_higher_order_operators = True
    ROUNDED = torch.bfloat16, torch.float16, torch.float32, torch.float64
    ROUND_NOTHING = frozenset((
        "abs amax amin cat clone constant_pad_nd embedding flip full full_like gather index index_select masked_fill maximum "
        "max_pool2d_with_indices minimum neg new_full new_ones new_zeros ones ones_like relu repeat roll select_backward "
        "slice_backward sort stack threshold_backward topk where zeros zeros_like").split())
    SUMS = frozenset("sum mean var var_mean".split())
    COMPOSED = frozenset((                      # of sums that are made one by one
        "cudnn_batch_norm _fused_rms_norm linalg_vector_norm _log_softmax logsumexp native_batch_norm native_batch_norm_backward "
        "_native_batch_norm_legit native_group_norm native_group_norm_backward native_layer_norm native_layer_norm_backward norm _softmax "
        "std std_mean").split())

    def __init__(self, seed, units=1):
        super().__init__()
        self.numbers, self.coarsest, self.units = torch.Generator().manual_seed(seed), 0.0, units

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs, schema = kwargs or {}, getattr(function, "_schema", None)
        name = schema.name.partition("::")[2] if schema else ""
        own = schema is not None and schema.name.startswith("aten::") and not schema.is_mutable
        if own and name in self.COMPOSED and function in decomposition_table:
            try:
                with self:
                    return decomposition_table[function](*args, **kwargs)
            except Exception:                   # it is for other arguments
                pass
        named = dict(zip([a.name for a in schema.arguments], args), **kwargs) if own and name in self.SUMS else None
        made = self.summed(name, named) if named else None
        made = function(*args, **kwargs) if made is None else made
        if name in self.ROUND_NOTHING or schema and any(r.alias_info for r in schema.returns):
            return made
        if schema and schema.name.partition("::")[0] not in ("aten", "prims") and self.shares(args, made):
            return made                         # the operator of a program, which does not say so
        given = args[0].dtype if name == "_to_copy" else None
        return torch.utils._pytree.tree_map(lambda v: v if getattr(v, "dtype", None) == given else self.rounded(v), made)

    def summed(self, name, named):
        """A sum, mean or variance whose values are added one by one; None: it is not of such values."""
        v, dims, keep = named.pop("self"), named.get("dim"), named.get("keepdim", False)
        if v.dtype not in self.ROUNDED or v.device.type == "meta" or not v.numel() or named.get("dtype") not in (None, v.dtype):
            return None
        dims = [dims] if isinstance(dims, int) else list(dims or range(v.dim()))
        x, count = v.to(torch.promote_types(v.dtype, torch.float32)), 1
        for d in dims:
            count *= v.shape[d] if v.dim() else 1
        total = summed_otherwise(x, dims)
        if name == "sum":
            made = [total]
        elif name == "mean":
            made = [total / count]
        else:
            correction = named.get("correction", int(named.get("unbiased", True)))
            mean = total / count
            made = [summed_otherwise((x - mean) ** 2, dims) / max(count - (1 if correction is None else correction), 0), mean]
            made = made if name == "var_mean" else made[:1]
        made = [t.to(v.dtype) if keep else t.to(v.dtype).squeeze(dims) if v.dim() else t.to(v.dtype) for t in made]
        return tuple(made) if name == "var_mean" else made[0]

    def shares(self, args, made):
        stores = [{t.untyped_storage()._cdata for t in torch.utils._pytree.tree_leaves(v) if isinstance(t, torch.Tensor)} for v in (args, made)]
        return not stores[0].isdisjoint(stores[1])

    def rounded(self, v):
        if not isinstance(v, torch.Tensor) or v.dtype not in self.ROUNDED or v.device.type == "meta":
            return v
        epsilon, kind = torch.finfo(v.dtype).eps, torch.promote_types(v.dtype, torch.float32)
        self.coarsest = max(self.coarsest, epsilon)
        most = self.units * epsilon
        numbers = torch.empty_like(v, dtype=kind, device="cpu").uniform_(1 - most, 1 + most, generator=self.numbers)
        zeros = v.cpu() == 0
        if zeros.any():
            numbers[zeros] = torch.empty(int(zeros.sum()), dtype=kind).uniform_(-1, 1, generator=self.numbers).sign()
        zeros = None
        return numbers.to(v.device).mul_(v).to(v.dtype)
'''
made_of_text: dict = {}
exec(OTHER_ROUNDING, made_of_text)
OtherRounding = made_of_text["OtherRounding"]


class Spread:
    """How far the elements of a tensor of eager's differ in runs that round otherwise.  most: the largest difference of those that do not
    jump.  jump: which elements do, or None: they are not finite, or of another number in one run, or differ by far more than most."""
    def __init__(self, eager):
        self.eager, self.differences, self.size, self.most, self.jump = numbers_of(eager), None, True, 0.0, None

    def add(self, other):
        e, o = (v.float() if v.is_floating_point() and v.element_size() == 1 else v for v in (self.eager, numbers_of(other)))
        if o.shape != e.shape:
            self.size = False                   # it depends on values
            return
        found, self.jump = self.widened(e, o), None
        if not e.is_floating_point():
            self.jump = found
        elif found.numel():
            usual = found.flatten().median().item()
            jump = found > max(SMOOTH * usual, 1e-30) if usual < torch.inf else found == torch.inf
            if jump.any():
                size = torch.maximum(e[jump].abs(), o[jump].abs()).nan_to_num_(0, 0)
                jump[jump.clone()] = found[jump] > torch.finfo(e.dtype).eps ** 0.5 * size
            self.jump = jump
            smooth = found[~jump] if jump.any() else found
            self.most = smooth.max().item() if smooth.numel() else 0.0
        if self.jump is not None and not self.jump.any():
            self.jump = None

    def widened(self, e, o):
        """The largest differences until now, found part by part: what is compared may take much of the memory."""
        floats = e.is_floating_point()
        if self.differences is None:
            self.differences = torch.zeros_like(e, dtype=torch.promote_types(e.dtype, o.dtype) if floats else torch.bool)
        for most, a, b in views_of_parts(self.differences, e, o):
            found = (b - a).abs().nan_to_num(0, torch.inf) if floats else a != b
            if floats:
                found.masked_fill_(of_other_kind(b, a) & ~(b.isfinite() & a.isfinite()), torch.inf)
            torch.maximum(most, found, out=most)
        return self.differences


class Roundings:
    """run(mode): the tensors that eager makes, which are `eager`; mode: the OtherRounding that is on, or None.  It is called again when a
    result is first asked for."""
    def __init__(self, run, eager):
        self.run, self.eager, self.spreads, self.coarsest, self.times, self.ended = run, eager, None, 0.0, 0, False

    def again(self, times):
        """Runs eager until it ran so often."""
        if self.spreads is None:
            self.spreads = [Spread(t) if plain(t) else None for t in self.eager]
        while self.times < times and not self.ended:
            try:
                with OtherRounding(self.times, 1 if self.times < ROUNDED_AGAIN else WIDELY) as mode:
                    made = self.run(mode)
            except Exception:                   # an operation that such a mode cannot see
                self.ended = True
                return
            self.times += 1
            self.coarsest = max(self.coarsest, mode.coarsest)
            self.ended = not mode.coarsest      # nothing is rounded so
            for spread, t in zip(self.spreads, made if not self.ended else ()):
                if spread and plain(t):
                    spread.add(t)
            made = t = None                     # freed before the next run

    def spread(self, i, often=False):
        """The Spread of tensor i of eager's, where values as coarse as it or coarser are rounded otherwise; None: there is none.  often: by as
        many runs as it takes to see how elements jump."""
        self.again(ROUNDED_OFTEN if often else ROUNDED_AGAIN)
        spread = self.spreads[i]
        if spread is None or spread.differences is None and spread.size:
            return None
        kind = spread.eager.dtype
        return spread if not kind.is_floating_point or torch.finfo(kind).eps <= self.coarsest else None

    def of(self, i):
        """The most that an element of tensor i of eager's which does not jump differs by."""
        spread = self.spread(i)
        return spread.most if spread else 0.0

PART = 1 << 15                                  # elements that are widened at once


def views_of_parts(*tensors):
    """Parts of tensors of one shape, of the first one as a view where its elements lie close together."""
    first = tensors[0]
    order = sorted(range(first.dim()), key=lambda d: -first.stride(d))
    flat = [t.permute(order).flatten() for t in tensors]        # as they lie in memory, so that none is copied
    for i in range(0, len(flat[0]), PART):
        yield [t[i:i + PART] for t in flat]


def of_other_kind(v, other):
    """Of values that are not finite: NaN where the other is infinite, the other way around, or infinite with the other sign."""
    return (v != other) & ~(v.isnan() & other.isnan())
