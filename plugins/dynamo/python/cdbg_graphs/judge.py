# SPDX-License-Identifier: BSD-3-Clause
"""Values that a backend made, judged beside eager and float64 on the same inputs.
Knows no backend."""
import contextlib
import operator

import torch
import torch.fx
import torch.utils._pytree as pytree

from .memory import storage_in_words, with_memory
from .modes import in_modes
from .nodes import SAME_DRAWS, is_harmless, is_random, is_unset, numbers_of
from .pieces import Owned, by_pieces, is_elementwise, is_product, product_by_pieces
from .rounding import Roundings, of_other_kind, views_of_parts
from .run import Kept, function_of, step
from .torch_state import has_memory
from .values import (
    changed_once, copy_of, dense, figures, held_once, is_holder, parts_in, plain, repeated, tensors, wide)

EAGER_ERRORS, EPSILONS = 8.0, 32.0              # what a right value may differ from float64 by, see judge()
COARSE, COARSE_EPSILONS = 0.05, 2.0             # of a type with so few bits each unit of the last place is much
ROUNDING_ERRORS = 3.0                           # how many times what eager's differs by with other roundings, see Roundings
JUMPS = 16.0                                    # how many times what an element that jumps differs by
ELEMENT_ERRORS, ELEMENT_EPSILONS = 16.0, 256.0  # the same for each element of an element-wise operation
tolerance = None                                # (relative, absolute): what the user allows instead


@contextlib.contextmanager
def tolerating(allowed):
    """In the block, values are judged by (relative, absolute), or by eager's errors where that is None."""
    global tolerance
    tolerance = allowed
    try:
        yield
    finally:
        tolerance = None


# ---- judging a value --------------------------------------------------------------------------------------------------

class Verdict:
    """difference: of the value and float64; reference: of eager and float64; allowed: the most that is right.  share: the largest
    part of what is allowed that an element uses; None: difference / allowed."""
    def __init__(self, wrong, difference, reference, allowed, what=None, share=None):
        self.wrong, self.difference, self.reference, self.allowed, self.what = wrong, difference, reference, allowed, what
        self.share = share if share is not None else difference / allowed if allowed else 0.0


def judge(value, eager, exact, pointwise=False, least=0.0, rounding=0.0):
    """A tensor that a backend made, beside what eager and float64 make of the same inputs.  least: the size of its elements before
    they cancelled each other.  rounding: what eager's differs by where the values that it is computed from are rounded otherwise."""
    if dense(value) and dense(eager) and has_memory(value) != has_memory(eager):
        return Verdict(True, float("nan"), 0.0, 0.0, "its storage %s, eager's %s" % (storage_in_words(value), storage_in_words(eager)))
    if value.shape != eager.shape or not plain(value) or not plain(eager) or not value.numel():
        return None
    same = [d for d in repeated(value) if eager.stride(d) == exact.stride(d) == 0]
    value, eager, exact = [held_once(t.detach(), same).cpu() for t in (value, eager, exact)]
    if value.is_complex():
        return judge(torch.view_as_real(value.resolve_conj()), torch.view_as_real(eager.resolve_conj()),
                     torch.view_as_real(exact.resolve_conj()), pointwise, least, rounding)
    if not value.is_floating_point():
        unlike = (value != eager) & (value != exact.to(value.dtype))
        wrong = int(unlike.sum())
        off = (value[unlike].double() - eager[unlike].double()).abs().max().item() if wrong else 0.0
        return Verdict(wrong > 0, off, 0.0, 0.0, "%d of %d elements differ" % (wrong, value.numel()) if wrong else None)
    return judge_floats(value, eager, exact, pointwise, least, rounding)


def parts_of(*tensors):
    for parts in views_of_parts(*tensors):
        yield [t.double() for t in parts]


def worst_element(v, x):
    """(share of what the user allows, difference, allowed) of the element that uses most of it."""
    difference, allowed = (v - x).abs(), tolerance[1] + tolerance[0] * x.abs()
    share = torch.where(difference == 0, torch.zeros_like(difference), difference / allowed)
    i = int(share.argmax())
    return share[i].item(), difference[i].item(), allowed[i].item()


def judge_floats(value, eager, exact, pointwise, least, rounding):
    epsilon, nan, inf, off, reference, size, some = torch.finfo(value.dtype).eps, 0, 0, 0.0, 0.0, 0.0, False
    odd, worst = False, (0.0, 0.0, 0.0)
    for v, e, x in parts_of(value, eager, exact):
        finite = torch.isfinite(v)
        strange = (finite != torch.isfinite(e)) & (finite != torch.isfinite(x))
        if not finite.all():
            strange |= ~(finite | torch.isfinite(e) | torch.isfinite(x)) & of_other_kind(v, e) & of_other_kind(v, x)
        if strange.any():
            odd = True
            nan, inf = nan + int((strange & (v.isnan() | e.isnan())).sum()), inf + int((strange & (v.isinf() | e.isinf())).sum())
        finite &= torch.isfinite(e) & torch.isfinite(x)
        if finite.any():
            v, e, x, some = v[finite], e[finite], x[finite], True
            off, reference = max(off, (v - x).abs().max().item()), max(reference, (e - x).abs().max().item())
            size = max(size, x.abs().max().item())
            worst = max(worst, worst_element(v, x)) if tolerance else worst
    if odd:
        return Verdict(True, float("nan"), 0.0, 0.0, "one of the two has NaN in %d, Inf in %d of %d elements" % (nan, inf, value.numel()))
    if not some:
        return Verdict(False, 0.0, 0.0, 0.0)
    if tolerance:
        share, difference, allowed = worst
        return Verdict(share > 1, off, reference, allowed, "an element differs by %.6g" % difference if share > 1 else None, share)
    units = EPSILONS if epsilon < COARSE else COARSE_EPSILONS
    allowed = EAGER_ERRORS * reference + units * epsilon * max(size, least) + ROUNDING_ERRORS * rounding + 1e-30
    wrong = off > allowed
    if pointwise and not wrong:
        wrong = many_elements_off(value, eager, exact, epsilon, size)
    ulps = off / (epsilon * max(size, 1e-300))
    return Verdict(wrong, off, reference, allowed, "%.3g units of the last place" % ulps if wrong else None)


def many_elements_off(value, eager, exact, epsilon, size):
    """For an element-wise operation: is at least a quarter of the elements further off than rounding allows?"""
    off = all_of = 0
    for v, e, x in parts_of(value, eager, exact):
        finite = torch.isfinite(v) & torch.isfinite(e) & torch.isfinite(x)
        small = finite & (x.abs() > 1e-3 * size)                # cancellation leaves nothing of the smallest
        each = ELEMENT_ERRORS * (e - x).abs() + ELEMENT_EPSILONS * epsilon * x.abs()
        off, all_of = off + int((((v - x).abs() > each) & small & (e != v)).sum()), all_of + int(small.sum())
    return off * 4 > all_of


# ---- what a graph returns ---------------------------------------------------------------------------------------------

def results_in(v):
    """The tensors that a graph returns, without autograd, and the numbers, as tensors of one element, which know that as `number`."""
    kinds = {bool: torch.bool, int: torch.int64, float: torch.float32}

    def as_tensor(v):
        if isinstance(v, torch.Tensor):
            return v.detach()
        if type(v) not in kinds or type(v) is int and not -1 << 63 <= v < 1 << 63:
            return v
        t = torch.tensor(v, dtype=kinds[type(v)])
        t.number = type(v).__name__
        return t
    return tensors([as_tensor(v) for v in pytree.tree_leaves(v)])


PLAIN_CLASSES = ("Tensor", "Parameter", "Buffer", "AsyncCollectiveTensor")      # code may have one for the other


def result_kind(t):
    """What a result must have in common with eager's.  The sizes of a nested tensor are not the same numbers in each run."""
    if hasattr(t, "number"):
        return "the number of type " + t.number
    words = [] if type(t).__name__ in PLAIN_CLASSES else [type(t).__name__]
    words.append(str(t.dtype).removeprefix("torch."))
    words += [] if t.layout is torch.strided else [str(t.layout).removeprefix("torch.")]
    words += [] if is_holder(t) or t.is_nested else [str(list(t.shape))]
    return " ".join(words + ([] if t.device.type == "cpu" else ["on %s" % t.device]))


class Unlike:
    """How the results of a backend are not of the kind that eager's are.  parts: the positions of those parts of results, and of what only
    one of the two returns.  notes: what there is."""
    VERDICT = Verdict(True, float("nan"), 0.0, 0.0)

    def __init__(self):
        self.parts, self.notes, self.kinds = set(), [], {}      # kinds: (made, eager's), of each part that both return


def unlike_results(made, eager, own=False):
    """own: made by the code that the program runs."""
    unlike, part = Unlike(), 0
    code, of = ("the code that the program runs", " of the code that the program runs") if own else ("the backend's code", "")
    if len(made) != len(eager):
        unlike.notes.append("%s returns %d result%s, the graph %d" % (code, len(made), "" if len(made) == 1 else "s", len(eager)))
        ends = [len(parts_in(v)) for v in (made, eager)]
        unlike.parts.update(range(min(ends), max(ends)))
    for i, (m, e) in enumerate(zip(made, eager)):
        parts = len(parts_in([e]))
        if result_kind(m) != result_kind(e):
            unlike.notes.append("result %d%s is %s, eager's is %s" % (i, of, result_kind(m), result_kind(e)))
            unlike.parts.update(range(part, part + parts))
            unlike.kinds.update(dict.fromkeys(range(part, part + parts), (result_kind(m), result_kind(e))))
        part += parts
    return unlike


def judge_end(roundings, i, value, eager, exact):
    """Judges a result or gradient, which is the i-th of roundings.  Where values cancel each other, as in the gradient of a bias before a
    batch norm, or are rounded to a coarser dtype first, eager may be nearer to float64 by chance than their rounding allows."""
    verdict = judge(value, eager, exact)
    if not verdict or not verdict.wrong or tolerance or not roundings:
        return verdict
    return judge_rounded(roundings, i, verdict, value, eager, exact)


def judge_rounded(roundings, i, verdict, value, eager, exact, pointwise=False, least=0.0):
    """The Verdict on a value that is wrong by `verdict`, judged by what other roundings do to tensor i of roundings.  Elements that jump then,
    as at a tie, are right where they are as far off as that.  pointwise: it rounds once, so that eager's error tells what smooth elements
    may differ by."""
    for often in False, True:
        spread = roundings.spread(i, often)
        if spread is None or spread.differences is None or spread.differences.shape != numbers_of(value).shape:
            return verdict
        v, e, x = map(numbers_of, (value, eager, exact))
        if spread.jump is not None:
            far = v.is_floating_point() and ~((v.double() - e).abs() <= JUMPS * spread.differences)
            v, e, x = (t[~spread.jump | far] for t in (v, e, x))
        again = judge(v, e, x, pointwise, least, 0.0 if pointwise else spread.most) or Verdict(False, 0.0, 0.0, 0.0)
        if not again.wrong or spread.jump is None:
            return again
    return again


def same_draws(verdict, eager):
    """Did the backend and the run in float64 draw the random numbers that eager drew?  A result of other numbers cannot be judged."""
    size = max([abs(v) for v in (figures(eager) or ())[:2] if v is not None], default=0.0)
    return not verdict.wrong and verdict.reference <= SAME_DRAWS * size


ADDED_AT_ONCE = 8192                            # inductor adds up so many values one by one, and then such sums
MOST_ADDED = 1 << 22                            # values that are added up so to see how much that rounds


def sum_one_by_one(values):
    """The sum of a one-dimensional tensor as a kernel's loop makes it, in float32: eager adds pairwise, which rounds less."""
    values = values.float() if values.dtype != torch.float64 else values
    while len(values) > 1:
        rows = -(-len(values) // ADDED_AT_ONCE)
        step = min(len(values), ADDED_AT_ONCE)
        values = torch.nn.functional.pad(values, (0, rows * step - len(values))).view(rows, step)
        total = values[:, 0].clone()
        for i in range(1, step):
            total += values[:, i]
        values = total
    return values[0].item()


def added_into(n, value, args, kwargs, i):
    """The elements of its input that a sum or mean adds up to the i-th element of its value."""
    v = args[0].detach()
    dims = args[1] if len(args) > 1 else kwargs.get("dim")
    dims = [d % v.dim() for d in ([dims] if type(dims) is int else dims or range(v.dim()))] if v.dim() else []
    rest = [d for d in range(v.dim()) if d not in dims]
    at = []
    for d in reversed(rest):
        i, k = divmod(i, v.shape[d])
        at.append(k)
    return v.permute(rest + dims)[tuple(reversed(at))].flatten()


# ---- a graph in eager and in float64, fed with the values of a backend --------------------------------------------------


def draws_inside(n, kept):
    """As is_random(), also for a higher-order operator that calls a random one, or a sub-graph with such a node."""
    if not isinstance(n.target, torch._ops.HigherOrderOperator):
        return is_random(n)
    inner = [kept.named.get(a.target) for a in n.all_input_nodes if a.op == "get_attr"]
    return "rng_state" in n.target.__name__ or any([
        draws_inside(m, sub) for sub in inner if isinstance(sub, Kept) for m in sub.graph.nodes])


def is_pointwise(n):
    return isinstance(n.target, torch._ops.OpOverload) and torch.Tag.pointwise in n.target.tags


def allocates(n):
    """Is the value of this node, or a part of it, in memory that torch allocated for it, or that of an argument?  Other functions
    may return what the program holds."""
    return n.target is operator.getitem or isinstance(n.target, torch._ops.OpOverload) and n.target.namespace in ("aten", "prims")


def is_var_mean(n):
    return getattr(getattr(n.target, "_schema", None), "name", "") == "aten::var_mean"


class Walk:
    """Each node by eager and in float64, in the order of the graph.  judged: [(node, Verdict)].  first: the first wrong node.

    made: the values of a backend, by node name; each is judged and then fed into both.  A value is dropped after its last use, but
    those of the nodes in `keep`: these are in `eager` at the end.  until: the walk ends there and judges nothing.  What is computed
    from random numbers that the walk draws itself is fed and not judged: the backend drew others.

    feeds: false for a graph that changes tensors in place, where a value that is put in would not be the memory that others have.  Each
    node is computed in float64 from eager's values then."""
    def __init__(self, kept, inputs, made, random=None, keep=(), until=None, feeds=True):
        self.kept, self.eager, self.exact, self.judged, self.made = kept, {}, {}, [], made
        self.random, self.first, self.judges, self.rounded, self.drawn = random, None, until is None, [], set()
        self.feeds, self.mean_sizes = feeds, {}  # mean_sizes: of each node that computes variance and mean, see added_up()
        self.unlike = []                        # (node, kind, eager's kind) of values that are of another type or shape than eager's
        given, last = iter(inputs), {}
        self.harmless, self.last, self.keep = {}, last, keep
        self.owned = Owned(self.eager, self.exact)
        self.owned.leave_out([list(inputs), made.shared()])
        writes = not all(is_harmless(n, self.harmless) for n in kept.graph.nodes)
        nodes = [n for n in kept.graph.nodes if n.op != "output"]              # its results need not be kept
        for n in nodes:
            maker = n.args[0] if n.target is operator.getitem else None         # what it reads is read again to judge its parts
            for a in n.all_input_nodes + (maker.all_input_nodes if isinstance(maker, torch.fx.Node) else []):
                last[a] = n
        self.late = []                          # nodes whose eager value is not computed yet
        with in_modes(kept.modes), with_memory(kept.resizes(), inputs):
            self.walk(nodes, given, writes, until)

    def walk(self, nodes, given, writes, until):
        made, last, keep, feeds = self.made, self.last, self.keep, self.feeds
        for i, n in enumerate(nodes):
            made.at(n)
            if n.op == "placeholder":
                v = next(given)
                self.put(n, copy_of(v) if writes else v)
            elif not self.compute_up_to(n, i, nodes, writes, last):
                break
            if n in self.late:
                continue
            if self.look(n) or n is until:
                break
            if not feeds:
                self.exact.clear()
            for a in (n, *n.all_input_nodes):
                if last.get(a, a) is n and a not in keep:
                    self.eager.pop(a, None)
                    self.exact.pop(a, None)

    def compute_up_to(self, n, i, nodes, writes, last):
        """Computes a node: all nodes up to the next one that is judged in float64, then these by eager, so that not both hold what is
        between. False: nothing is judged from here on."""
        together = writes or not self.judges or n.name in self.made
        if not self.late:
            judged = n.name if together else next((nodes[k].name for k in range(i, len(nodes)) if nodes[k].name in self.made), None)
            if judged is None:
                return False
            self.made.prepare(judged)           # now that least else is held
        if is_random(n) and n.name not in self.made and self.random:
            self.catch_up(last, n)
            v = self.random(self, n)
            if v is not None:
                self.owned.leave_out(v)
                self.put(n, v)
                return True
        if draws_inside(n, self.kept) or not self.drawn.isdisjoint(n.all_input_nodes):
            self.drawn.add(n)
        known = self.compute_exact(n)
        if is_var_mean(n):
            self.mean_sizes[n] = self.mean_of_sizes(n)
        self.late.append(n)
        if not self.adds_up(n):                 # else the inputs are read once more
            for a in n.all_input_nodes:
                if last[a] is n:
                    self.exact.pop(a, None)
        if together or not known:
            self.catch_up(last, n)
        return True

    def catch_up(self, last, current):
        """Computes by eager what is only there in float64."""
        late, self.late = self.late, []
        for n in late:
            self.compute_eager(n)
            for a in n.all_input_nodes if n is not current else ():
                if last[a] is n:
                    self.eager.pop(a, None)

    def put(self, n, v):
        self.eager[n] = v                       # in float64 when it is read
        self.exact.pop(n, None)

    def exact_of(self, n, written=False):
        """The value of a node in float64, from eager's where none is kept. written: an operation may write it, so it is a copy."""
        if n in self.exact:
            return self.exact[n]
        v = pytree.tree_map(wide, self.eager[n])
        return pytree.tree_map(copy_of, v) if written else v

    def arguments(self, n, value_of):
        return torch.fx.map_arg(n.args, value_of), torch.fx.map_arg(n.kwargs, value_of)

    def called(self, n):
        return self.kept.named_object(n.target) if n.op in ("get_attr", "call_module") else function_of(n)

    def compute(self, n):
        """Computes a node before it is its turn."""
        self.compute_exact(n, True)
        self.compute_eager(n, True)

    def perform(self, n, args, kwargs):
        v = step(n.op, self.called(n), args, kwargs)
        if not allocates(n):
            self.owned.leave_out(v)
        return v

    def by_pieces(self, n, value_of, table, change, early):
        """Computes a large element-wise node into one of the tables, where it can into the memory of an input that is read for the
        last time.  early: before its turn.  False: it is not such a node."""
        if not is_elementwise(n, self.harmless):
            return False
        ends = [a for a in n.all_input_nodes if self.last.get(a) is n and a not in self.keep and not early]
        args, kwargs = self.arguments(n, value_of)
        v = by_pieces(n.target, args, kwargs, self.owned.free(table, ends), change)
        if v is None:
            return False
        for a in ends:
            if table.get(a) is v:
                del table[a]                    # its value is gone
        table[n] = v
        return True

    def product(self, n, value_of):
        """Computes a large product of matrices in float64; False: it is not such a node."""
        v = product_by_pieces(n.target, *self.arguments(n, value_of), wide) if is_product(n) else None
        if v is not None:
            self.exact[n] = v
        return v is not None

    def compute_eager(self, n, early=False):
        def value_of(a):
            return self.eager[a]
        if not self.by_pieces(n, value_of, self.eager, lambda v: v, early):
            self.eager[n] = self.perform(n, *self.arguments(n, value_of))

    def compute_exact(self, n, early=False):
        """False: there is no value in float64, so that eager's is used."""
        def value_of(a):                        # widened piece by piece where there is eager's only
            return self.exact[a] if a in self.exact else self.eager[a]
        self.exact.pop(n, None)
        if not self.judges:
            return False
        try:
            if self.product(n, value_of):
                return True
            if not self.by_pieces(n, value_of, self.exact, wide, early):
                written = not is_harmless(n, self.harmless)
                self.exact[n] = self.perform(n, *pytree.tree_map(wide, self.arguments(n, lambda a: self.exact_of(a, written))))
        except Exception:                       # an operation without float64
            return False
        return True

    def adds_up(self, n):
        return getattr(getattr(n.target, "_schema", None), "name", "") in ("aten::sum", "aten::mean")

    def added_up(self, n):
        """For a sum or mean: its largest result with absolute values, which bounds the rounding error; 0 for other operations."""
        if n.target is operator.getitem and n.args[1] == 1 and n.args[0] in self.mean_sizes:
            return self.mean_sizes[n.args[0]]
        if not self.adds_up(n):
            return 0.0
        try:
            args, kwargs = pytree.tree_map(wide, self.arguments(n, self.exact_of))
            sizes = n.target(changed_once(args[0], torch.abs), *args[1:], **kwargs)
            return sizes.max().item() if sizes.numel() and sizes.is_floating_point() else 0.0
        except Exception:
            return 0.0

    def mean_of_sizes(self, n):
        """The largest mean of absolute values where a node computes variance and mean; 0 if it is not known."""
        try:
            args, kwargs = pytree.tree_map(wide, self.arguments(n, self.exact_of))
            dims = args[1] if len(args) > 1 else kwargs.get("dim")
            sizes = changed_once(args[0], torch.abs)
            sizes = sizes.mean() if dims is None else sizes.mean(dims)
            return sizes.max().item() if sizes.numel() else 0.0
        except Exception:
            return 0.0

    def is_rounding(self, n, value, verdict):
        """Does a sum or mean differ by no more than adding its values one by one does, at the element that differs most?"""
        if tolerance or not self.adds_up(n) or verdict.difference != verdict.difference:
            return False
        try:
            exact = self.exact_of(n)
            i = int((value.double() - exact).abs().argmax())
            args, kwargs = self.arguments(n, lambda a: self.eager[a])
            values, size = added_into(n, value, args, kwargs, i), abs(exact.flatten()[i].item())
            count = len(values) if "mean" in n.target._schema.name else 1
            off, part = 0.0, values[:MOST_ADDED]
            for k in range(-2, 3):              # how equal values add up depends on their last bits, which a fused kernel may change
                near = part * (1 + k * torch.finfo(part.dtype).eps)
                off = max(off, abs(sum_one_by_one(near) - near.sum(dtype=torch.float64).item()) * len(values) / len(part) / count)
            return verdict.difference <= 4 * off + EPSILONS * torch.finfo(value.dtype).eps * size
        except Exception:                       # it has no values to add
            return False

    def judge_rounded(self, n, value, verdict):
        """The Verdict on a wrong value, judged by what other roundings of what the operation reads, and computes on the way, do to it."""
        maker, part = (n.args[0], n.args[1]) if n.target is operator.getitem and isinstance(n.args[0], torch.fx.Node) else (n, None)
        if not isinstance(maker.target, torch._ops.OpOverload) or not is_harmless(maker, self.harmless) or is_random(maker):
            return verdict
        if not all([a in self.eager for a in maker.all_input_nodes]):
            return verdict
        args, kwargs = self.arguments(maker, lambda a: self.eager[a])

        def run(mode):
            made = maker.target(*pytree.tree_map(mode.rounded, args), **pytree.tree_map(mode.rounded, kwargs))
            return [made if part is None else made[part]]
        try:
            return judge_rounded(Roundings(run, [self.eager[n]]), 0, verdict, value, self.eager[n], self.exact_of(n), is_pointwise(maker),
                                 self.added_up(n))
        except Exception:                       # an operation that does not run so
            return verdict

    def look(self, n):
        """Judges the value of a node and continues with it; returns True if it is wrong."""
        v = self.made.take(n.name)
        if self.judges and v is not None and isinstance(self.eager[n], torch.Tensor) and (v.dtype, v.shape) != (
                self.eager[n].dtype, self.eager[n].shape):
            self.unlike.append((n, result_kind(v), result_kind(self.eager[n])))
        if v is None or not isinstance(self.eager[n], torch.Tensor) or v.shape != self.eager[n].shape:
            return False
        if self.judges and n not in self.drawn and not is_unset(n) and n.op != "placeholder":
            verdict = judge(v, self.eager[n], self.exact_of(n), is_pointwise(n), self.added_up(n))
            if verdict and verdict.wrong and self.is_rounding(n, v, verdict):
                verdict.wrong, verdict.share, verdict.what = False, 1.0, None
                self.rounded.append(n)
            elif verdict and verdict.wrong and not tolerance:
                verdict = self.judge_rounded(n, v, verdict)
            if verdict:
                self.judged.append((n, verdict))
                if verdict.wrong and self.first is None:
                    self.first = n
                    return True
        if self.feeds:
            self.put(n, v)
            self.drawn.discard(n)
        return False
