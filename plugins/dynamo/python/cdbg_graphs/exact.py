# SPDX-License-Identifier: BSD-3-Clause
"""A captured graph in float64, with the random numbers of eager.  Judges nothing."""
import torch
import torch.fx
import torch.utils._pytree as pytree

from .ends import as_leaf, inputs_of, perform_with_gradients
from .errors import Refused
from .judge import results_in
from .match import wants_gradient
from .modes import grad_plainly, in_modes, modes_at
from .nodes import draws, is_harmless, traced
from .object_state import RandomOf
from .run import Program, function_of, perform, step
from .torch_state import over, read_as, storage_of, torch_generators, version_of
from .values import WIDENED, copy_of, dense, place_of_view, tensors, wide


def random_states():
    """The states of torch's random number generators, saved."""
    states = [RandomOf(None, name, get, put) for name, get, put in torch_generators()]
    for state in states:
        state.save()
    return states


class DrawnAlike:
    """What a node calls in a run in float64.  Where it draws random numbers, it is called in eager's dtype, so that it draws eager's."""
    def __init__(self, n, op, called):
        self.n, self.op, self.called, self.known = n, op, called, is_harmless(n, {})
        floats = [t.dtype for t in tensors([traced(a) for a in (n, *n.all_input_nodes)]) if t.dtype in WIDENED]
        self.narrow = floats[0] if floats else None

    def __call__(self, *args, **kwargs):
        if self.narrow is None or not (self.known or draws(self.n)) or torch._C._len_torch_dispatch_stack():
            return step(self.op, self.called, args, kwargs)         # in a mode there are sizes only, no numbers
        if self.known:                          # it writes nothing and can be called twice
            states = random_states()
            made = step(self.op, self.called, args, kwargs)
            if not any([state.changed() for state in states]):
                return made
            made = None
            for state in states:
                state.restore()
        given = pytree.tree_map(self.narrowed, (args, kwargs))
        pairs = [(v, w, version_of(w)) for v, w in zip(tensors((args, kwargs)), tensors(given)) if w is not v]
        made = pytree.tree_map(wide, step(self.op, self.called, *given))
        for v, w, before in pairs:
            if version_of(w) != before:         # else autograd would take what it saved as changed
                v.copy_(w)
        return made

    def narrowed(self, v):
        if isinstance(v, torch.dtype):
            return self.narrow if v == WIDENED[self.narrow] else v
        return v.to(self.narrow) if isinstance(v, torch.Tensor) and v.dtype == WIDENED[self.narrow] else v


def wide_arguments(called, args, kwargs):
    """As wide() of each; autocast, which would narrow float64 or warn of it, is left off."""
    if getattr(called, "__name__", "") == "_enter_autocast":
        return (*args[:2], False, *args[3:]), dict(kwargs)
    return pytree.tree_map(wide, args), pytree.tree_map(wide, dict(kwargs))


def exact_module(kept):
    """A sub-graph in float64, for the operator that calls it."""
    module, program = kept.module(), Program(kept)
    program.steps = exact_steps(program)
    module.forward = lambda *args: perform(program, args)
    return module


def exact_steps(program):
    steps = []
    for i, op, called, args, kwargs, dead in program.steps:
        args, kwargs = wide_arguments(called, args, kwargs)
        if op == "get_attr" and program.nodes[i].target in program.inner:
            called = exact_module(program.inner[program.nodes[i].target])
        if op in ("call_function", "call_method"):
            called, op = DrawnAlike(program.nodes[i], op, called), "call_function"
        steps.append((i, op, called, args, kwargs, dead))
    return steps


def exact_program(kept, inputs):
    """(a Program in float64, what it is given)"""
    program = Program(kept)
    program.steps = exact_steps(program)
    program.widens = kept.program().writes_nothing()
    if program.widens:
        return program, inputs_of(kept, inputs)
    return program, wide_copies(inputs)


def wide_storage(same):
    """A storage with the elements, in float64, of the one that these tensors share."""
    kinds, store = {v.dtype.to_real() for v in same}, storage_of(same[0])
    if len(kinds) > 1:
        raise Refused("tensors that share memory have different types, so that they cannot share it in float64")
    kind = torch.empty(0, dtype=kinds.pop())
    flat = over(store, kind, 0, (store.nbytes() // kind.element_size(),), (1,))
    return flat.to(WIDENED.get(kind.dtype, kind.dtype), copy=True).untyped_storage()


def wide_copies(inputs):
    """Copies of the inputs in float64, which share memory where the inputs do."""
    stores, out = {}, []
    for v in inputs:
        if dense(v):
            stores.setdefault(storage_of(v)._cdata, []).append(v)
    whole = {key: wide_storage(same) for key, same in stores.items() if len(same) > 1}
    for v in inputs:
        store = whole.get(storage_of(v)._cdata) if dense(v) else None
        if store is None:
            out.append(copy_of(v) if wide(v) is v else wide(v))
        else:
            out.append(read_as(over(store, torch.empty(0, dtype=WIDENED.get(v.dtype, v.dtype)), *place_of_view(v)), v))
    return out


def exact_leaf(v):
    """An input in float64 as a leaf of autograd, in memory of its own."""
    if not isinstance(v, torch.Tensor):
        return v
    t = wide(v.detach())
    t = as_leaf(t if t.dtype != v.dtype else copy_of(v), v)
    t.computed = t.requires_grad and not v.is_leaf
    return t


def exact_gradients(kept, inputs):
    """None if an operation has no float64."""
    program = Program(kept)
    program.steps = exact_steps(program)
    try:
        return perform_with_gradients(kept, program, [[exact_leaf(v) for v in inputs]])
    except Exception:
        return None


def results_of(kept, inputs, exact, written):
    """(what the graph returns, see results_in(), inputs at these positions after it), by eager or in float64; None if an operation has no
    float64."""
    try:
        program, given = exact_program(kept, inputs) if exact else (Program(kept), inputs_of(kept, inputs))
        after, holder = [given[i] for i in written], [given]
        del given                               # each lives until its last use
        return results_in(perform(program, holder.pop())), after
    except Exception:
        if exact:
            return None
        raise


def gradients_through(kept, prefix, n, values, incoming, change):
    """(the value of a captured node, [its gradient with respect to each input that has one]), by autograd.  change: copy_of or wide."""
    leaves = {}

    def value_of(a):
        v = pytree.tree_map(lambda t: copy_of(change(t)), values[prefix + a.name])
        if not isinstance(v, torch.Tensor) or not wants_gradient(a):
            return v
        leaves[a] = v.requires_grad_(True)
        return leaves[a].clone()                # an operation may write it
    called = kept.named_object(n.target) if n.op == "call_module" else function_of(n)
    with torch.enable_grad(), in_modes(modes_at(kept, n)):
        args, kwargs = torch.fx.map_arg(n.args, value_of), torch.fx.map_arg(n.kwargs, value_of)
        made = step(n.op, called, *((args, kwargs) if change is copy_of else wide_arguments(called, args, kwargs)))
        return made, list(grad_plainly([made], list(leaves.values()), [change(incoming)], allow_unused=True))
