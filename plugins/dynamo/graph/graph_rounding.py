# SPDX-License-Identifier: BSD-3-Clause
"""How far a result depends on where the values that it is computed from were rounded.  Runs in the same namespace as graph_exact.py.
Judges nothing."""

ROUNDED_AGAIN = 3                               # runs of eager in which values are rounded otherwise

# As text, because graph_save.py writes it into its programs.
OTHER_ROUNDING = '''\
import torch.utils._python_dispatch


class OtherRounding(torch.utils._python_dispatch.TorchDispatchMode):
    """In the block, each element that an operation rounds differs by up to a unit of its last place."""
    supports_higher_order_operators = True
    ROUNDED = torch.bfloat16, torch.float16, torch.float32, torch.float64
    ROUND_NOTHING = frozenset((
        "abs amax amin cat clone constant_pad_nd embedding flip full full_like gather index index_select masked_fill maximum "
        "max_pool2d_with_indices minimum neg new_full new_ones new_zeros ones ones_like relu repeat roll select_backward "
        "slice_backward sort stack threshold_backward topk where zeros zeros_like").split())

    def __init__(self, seed):
        super().__init__()
        self.numbers, self.coarsest = torch.Generator().manual_seed(seed), 0.0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        made, schema = function(*args, **(kwargs or {})), getattr(function, "_schema", None)
        name = schema.name.partition("::")[2] if schema else ""
        if name in self.ROUND_NOTHING or schema and any(r.alias_info for r in schema.returns):
            return made
        if schema and schema.name.partition("::")[0] not in ("aten", "prims") and self.shares(args, made):
            return made                         # the operator of a program, which does not say so
        given = args[0].dtype if name == "_to_copy" else None
        return torch.utils._pytree.tree_map(lambda v: v if getattr(v, "dtype", None) == given else self.rounded(v), made)

    def shares(self, args, made):
        stores = [{t.untyped_storage()._cdata for t in torch.utils._pytree.tree_leaves(v) if isinstance(t, torch.Tensor)} for v in (args, made)]
        return not stores[0].isdisjoint(stores[1])

    def rounded(self, v):
        if not isinstance(v, torch.Tensor) or v.dtype not in self.ROUNDED or v.device.type == "meta":
            return v
        epsilon, kind = torch.finfo(v.dtype).eps, torch.promote_types(v.dtype, torch.float32)
        self.coarsest = max(self.coarsest, epsilon)
        numbers = torch.empty_like(v, dtype=kind, device="cpu").uniform_(1 - epsilon, 1 + epsilon, generator=self.numbers)
        return numbers.to(v.device).mul_(v).to(v.dtype)
'''
exec(OTHER_ROUNDING)


def farthest(tensors, others):
    """For each two tensors the largest difference of two elements that are finite; 0.0 where they are not alike."""
    found = []
    for t, o in zip(tensors, others):
        if not plain(t) or not plain(o) or t.shape != o.shape or not (t.is_floating_point() or t.is_complex()):
            found.append(0.0)
            continue
        t, o = [torch.view_as_real(v.resolve_conj()) if v.is_complex() else v for v in (t.detach().cpu(), o.detach().cpu())]
        parts = ((a - b).abs() for a, b in parts_of(t, o))
        found.append(max([d.nan_to_num_(0, 0).max().item() for d in parts] if t.numel() else [], default=0.0))
    return found


class Roundings:
    """run(): the tensors that eager makes, which are `eager`.  It is called again when a result is first asked for."""
    def __init__(self, run, eager):
        self.run, self.eager, self.found, self.coarsest = run, eager, None, 0.0

    def of(self, i):
        """The most that an element of tensor i of eager's differs by where values as coarse as it or coarser are rounded otherwise."""
        kind = getattr(self.eager[i], "dtype", torch.bool)
        if not kind.is_floating_point and not kind.is_complex:
            return 0.0
        if self.found is None:
            self.found = [0.0] * len(self.eager)
            for seed in range(ROUNDED_AGAIN):
                try:
                    with OtherRounding(seed) as mode:
                        made = self.run()
                except Exception:               # an operation that such a mode cannot see
                    break
                self.coarsest = max(self.coarsest, mode.coarsest)
                if not mode.coarsest:           # nothing is rounded so
                    break
                self.found = [max(pair) for pair in zip(self.found, farthest(self.eager, made))]
        return self.found[i] if torch.finfo(kind).eps <= self.coarsest else 0.0
