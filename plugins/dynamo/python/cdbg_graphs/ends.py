# SPDX-License-Identifier: BSD-3-Clause
"""What a graph takes and gives: its inputs in copies, results, gradients, and what it writes into inputs."""
import torch

from .inputs import detached, written_arguments, written_inputs
from .judge import judge_end
from .memory import with_memory
from .modes import grad_plainly
from .run import Program, perform
from .torch_state import storage_of
from .values import copies_of, dense, figures, plain, tensors, wide


def statistics_of(values):
    lines = []
    for n, v in values:
        f = figures(v) if isinstance(v, torch.Tensor) else None
        if f and f[3] is not None:
            range_of = "no finite element" if f[0] is None else "min %.6g, max %.6g, mean %.6g" % f[:3]
            lines.append("%s: %s, NaN %d, Inf %d" % (n.name, range_of, *f[3:]))
    return lines


def inputs_read(n, values):
    """[(input, its value)] of a node, where the value is known and the node does not write it."""
    written = written_arguments(n.target, n.args, n.kwargs) if isinstance(n.target, torch._ops.OpOverload) else ()
    return [(a, values[a]) for a in n.all_input_nodes if a in values and a not in written]


def written_of(kept, inputs):
    """(the positions of the inputs that the graph writes, or may write, and whose values can be compared; is it known that it does?)"""
    written = written_inputs(kept.program(), inputs)
    return [i for i, v in enumerate(inputs) if dense(v) and (written is None or i in written)], written is not None


def inputs_of(kept, inputs):
    """The inputs for a run of the graph: copies only if it writes something, or an operator may that does not declare it."""
    if not kept.program().writes_nothing():
        return copies_of(inputs, False)
    return detached(kept, inputs)


def edges_work():
    """Can gradients start where a result was computed, so that the result itself need not be kept?"""
    if not edges_known:
        try:
            with torch.enable_grad():
                one = torch.ones(1, requires_grad=True)
                edge = torch.autograd.graph.get_gradient_edge(one * 1)
                edges_known.append(torch.autograd.grad([edge], [one], [torch.ones(1)])[0] is not None)
        except Exception:
            edges_known.append(False)
    return edges_known[0]

edges_known: list = []


def gradients_of(results, given, lean=False):
    """The gradients of the results with respect to the inputs that require them, from those of incoming(); None if no input does.
    lean: the results are freed first."""
    ends, starts = [t for t in tensors(results) if t.requires_grad], [t for t in tensors(given) if t.requires_grad]
    results = given = None
    if not ends or not starts:
        return None
    if lean and edges_work() and all([t.grad_fn is not None for t in ends]):
        gradients, edges = [incoming(t) for t in ends], [torch.autograd.graph.get_gradient_edge(t) for t in ends]
        ends = None
        return grad_plainly(edges, starts, gradients, allow_unused=True)
    return grad_plainly(ends, starts, [incoming(t) for t in ends], allow_unused=True)


def incoming(t):
    """An incoming gradient of a result: between 0.5 and 1.5, and other along each dimension, since the gradients of what is normalized
    vanish if they are alike."""
    made = torch.ones_like(t)
    for d in range(t.dim() if plain(t) else 0):
        row = torch.arange(t.shape[d], device=t.device).cos().mul(8 / t.dim()).round() / 16               # exact in any dtype
        made += row.to(t.dtype).view([-1 if k == d else 1 for k in range(t.dim())])
    return made


def perform_with_gradients(kept, program, holder):
    """holder: a list with the list of inputs, which is taken out so that each input lives until its last use."""
    starts = [v for v in holder[0] if isinstance(v, torch.Tensor) and v.requires_grad]
    with torch.enable_grad(), with_memory(program.kept.resizes(), holder[0]):
        return gradients_of(perform(program, given_of(kept, holder.pop())), starts, True)


def eager_gradients(kept, inputs):
    return perform_with_gradients(kept, Program(kept), [in_place_of(kept, inputs)])


def judge_gradient(roundings, i, v, g, e, x):
    """Judges the gradient of an input, or returns None.  No gradient is one of zeros."""
    if g is None and e is None:
        return None
    if g is None or e is None:
        g, e = [torch.zeros_like(v) if t is None else t for t in (g, e)]
        x = wide(e) if x is None else x
    return judge_end(roundings, i, g, e, x) if x is not None else None


def leaves(inputs, own=False, others=()):
    """Copies of the inputs with the same requires_grad; those that require a gradient are leaves.  own: parameters are not copied, but
    for `others`."""
    copies = copies_of(inputs, own, others)
    shared = shared_stores(copies)
    made = [as_leaf(c, v) if isinstance(v, torch.Tensor) and v.requires_grad and not c.requires_grad else c for v, c in zip(inputs, copies)]
    for v, c in zip(inputs, made):
        if plain(c) and c.requires_grad:
            c.computed = not v.is_leaf and storage_of(c) is not None and storage_of(c)._cdata not in shared
    return made


def shared_stores(values):
    """The storages that several of these tensors have."""
    stores = [storage_of(v)._cdata for v in values if plain(v) and storage_of(v) is not None]
    return {s for s in stores if stores.count(s) > 1} if len(set(stores)) < len(stores) else ()


def as_leaf(t, v):
    """t, which autograd does not know, requires a gradient if v does.  vmap refuses to set what is not needed."""
    return t.requires_grad_(True) if v.requires_grad else t


def given_of(kept, made):
    """What a graph is given of leaves(): it may write an input that requires a gradient where the program computed that, but no leaf."""
    if kept.program().writes_nothing():
        return made
    with torch.enable_grad():
        return [v.clone() if getattr(v, "computed", False) else v for v in made]


def in_place_of(kept, inputs):
    """The inputs as leaves in the program's own memory; copies if the graph writes something, or if autograd cannot keep them."""
    if not kept.program().writes_nothing() or any(isinstance(v, torch.Tensor) and v.is_inference() for v in inputs):
        return leaves(inputs)
    return [as_leaf(own, v) if isinstance(v, torch.Tensor) else v for own, v in zip(detached(kept, inputs), inputs)]
