# SPDX-License-Identifier: BSD-3-Clause
"""Looks for a wrong node in the sub-graphs that a higher-order operator of inductor's graph calls, torch.cond for one, and for the
captured node that it is from.  Knows no kernel."""
import torch
import torch.fx

from .alone import Alone, slice_of
from .ends import inputs_of, inputs_read
from .exact import gradients_through
from .judge import Walk
from .modes import grad_plainly
from .nodes import CALLS, needed_for, operator_of, placeholders
from .run import BY_INTERPRETER, Kept, Program, perform
from .values import copies_of, copy_of, plain, size_of, tensors
from .window import Made

MOST_CALLS = 3                                  # of one sub-graph, a loop's body for example


def calls_of(kept, n, values, most):
    """[(a sub-graph, its inputs)]: the first calls of each sub-graph that a higher-order operator makes when eager runs it on these
    values, in order, as far as the copies of the inputs take no more than `most` bytes."""
    calls, left = [], [most]

    def recording(sub):
        module, program = sub.module(), Program(sub)

        def forward(*args):
            size = sum([size_of(v) or 0 for v in args])
            if size <= left[0] and [s for s, _ in calls].count(sub) < MOST_CALLS:
                left[0] -= size
                calls.append((sub, copies_of(args, False)))
            return perform(program, args)
        module.forward = forward
        return module

    def value_of(a):
        sub = kept.named.get(a.target) if a.op == "get_attr" else None
        return recording(sub) if isinstance(sub, Kept) else values[a]
    called = BY_INTERPRETER.get(str(n.target), n.target)
    called(*torch.fx.map_arg(n.args, value_of), **torch.fx.map_arg(n.kwargs, value_of))
    return calls


def wrong_in_call(sub, inputs, collected, most):
    """(node, Verdict, [(input, value)], calls in it) of the first wrong node of a sub-graph compiled alone; None: none is wrong.
    calls: [(operator, sub-graph, its inputs)], outermost first."""
    nodes = [n for n in sub.graph.nodes if n.op == "call_function"]
    alone = Alone(sub, nodes, dict(zip(placeholders(sub), inputs)), collected)
    n = alone.first
    if n is None:
        return None
    copies, results = alone.copies, alone.results
    made = Made({x.name: results[copies[x].name] for x in nodes if copies[x].name in results})
    eager = Walk(sub, inputs, made, keep=needed_for(slice_of(n, made) + [n]), until=n).eager
    return wrong_inside(sub, n, eager, collected, most) or (n, alone.verdict(), inputs_read(n, eager), [])


def wrong_inside(kept, bad, values, collected, most):
    """As wrong_in_call(), for the sub-graphs of the higher-order operator that `bad`, which is wrong, comes from; None: it comes from
    none, or none of its sub-graphs is wrong.  values: those of the operator's inputs."""
    called = operator_of(bad)
    try:
        for sub, inputs in calls_of(kept, called, values, most) if called else ():
            wrong = wrong_in_call(sub, inputs, collected, most)
            if wrong:
                return (*wrong[:3], [(called, sub, inputs), *wrong[3]])
    except Exception:                           # it does not run, or is not compiled, by itself: the operator is named
        pass
    return None


# ---- gradients ------------------------------------------------------------------------------------------------------------------

def sub_graph_at(kept, n, position):
    """(name of the sub-graph, Kept) that an operator has as this argument; None: it has none there."""
    a = n.args[position] if position < len(n.args) else None
    sub = kept.named.get(a.target) if isinstance(a, torch.fx.Node) and a.op == "get_attr" else None
    return (a.target, sub) if isinstance(sub, Kept) else None


def derived(sub, inputs, incoming):
    """({node of a captured sub-graph: its value}, {node: the gradient of it}), by autograd."""
    values, nodes = {}, list(sub.graph.nodes)

    def look(i, v, seconds):
        values[nodes[i]] = v
    with torch.enable_grad():
        leaves = [copy_of(v).requires_grad_(True) if isinstance(v, torch.Tensor) and v.is_floating_point() else v for v in inputs]
        ends = [t for t in tensors(perform(Program(sub, keep=True), leaves, look)) if t.requires_grad]
        inner = [n for n, v in values.items() if isinstance(v, torch.Tensor) and v.requires_grad and n.op != "output"]
        made = grad_plainly(ends, [values[n] for n in inner], incoming, allow_unused=True)
    return values, {n: g for n, g in zip(inner, made) if g is not None}


def near_to(t, other):
    if not plain(t) or not plain(other) or t.shape != other.shape or t.dtype != other.dtype:
        return False
    return torch.allclose(t, other, 1e-4, 1e-4 * float(other.abs().max()) if other.numel() else 0.0, equal_nan=True)


def gradients_made(sub, values, gradients):
    """[(captured node, the gradient that it makes of one of its inputs)], last node first.  Of a value that several nodes read, the
    gradient is the sum of theirs."""
    named, found = {n.name: v for n, v in values.items()}, []
    for n in reversed([n for n in values if n.op in CALLS and n in gradients]):
        try:
            made = gradients_through(sub, "", n, named, gradients[n], copy_of)[1]
        except Exception:                       # autograd takes no gradient of this operation by itself
            continue
        found += [(n, g) for g in made if g is not None]
    return found


def maker_of_gradient(n, made, gradients):
    """The captured node whose gradient a node helps to compute.  gradients: see gradients_made()."""
    seen, layer = {n}, [n]
    while layer:
        for x in layer:
            for c, g in gradients:
                if near_to(made.get(x), g):
                    return c
        layer = list(dict.fromkeys([y for x in layer for y in x.users if y not in seen and y.op != "output"]))
        seen.update(layer)
    return None


def captured_inside(captured, kept, n, calls):
    """(name, captured node) of a node in a sub-graph of a backward graph, which torch traces without names and lines of the program: by
    its value, or by the gradient that is computed from it.  None: it cannot be told."""
    called, sub, inputs = calls[0]
    own = captured.operators.get(called.meta.get("seq_nr"))
    at = next((i for i in range(len(called.args)) if (sub_graph_at(kept, called, i) or (None, None))[1] is sub), None)
    found = sub_graph_at(captured.kept, own, at) if own is not None and own.target is called.target and at is not None else None
    if not found or len(calls) > 1:
        return None
    made, nodes, count = {}, list(sub.graph.nodes), len(placeholders(found[1]))

    def look(i, v, seconds):
        made[nodes[i]] = v
    try:
        perform(Program(sub, keep=True), inputs_of(sub, inputs), look)
        values, gradients = derived(found[1], inputs[:count], inputs[count:])
        gradients = gradients_made(found[1], values, gradients)
    except Exception:                           # it is not the gradient of that one
        return None
    c = next((c for c, v in values.items() if c.op in CALLS and near_to(made[n], v)), None) or maker_of_gradient(n, made, gradients)
    return ("%s.%s" % (found[0], c.name), c) if c is not None else None
