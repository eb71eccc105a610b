# SPDX-License-Identifier: BSD-3-Clause
"""Finds the node of AOTAutograd's joint or backward graph that makes a gradient wrong.

The backward graph is run on what the backend's code was called with and compared, node by node, with the joint graph, which has the
same names: what was saved for backward and changed since, and what is computed again from it, differ.  The joint graph is compared
with eager: the nodes that torch made for the gradient of a captured node with what autograd makes of the same incoming gradient."""
import torch
import torch.fx
import torch.utils._pytree as pytree

from .ends import inputs_of, inputs_read
from .exact import gradients_through
from .forward import fits_traced, tokens_of
from .judge import Walk, judge
from .nodes import draws, is_backward, placeholders, symbols_of
from .run import Kept, Program, perform
from .symbols import ones_for
from .values import copies_of, copy_of, plain, wide
from .window import Window


def compare_backward(again, captured, found, most):
    """Sets found.first, and adds a row for each node that is judged.  most: the bytes of values held at once."""
    joint, backward = again.made.stages.get("joint"), again.made.stages.get("backward")
    if joint is None or backward is None:
        return
    again.run(note_backward=True)
    again.result = again.after = again.gradients = None
    called, again.made.backward = again.made.backward, None
    if len(called) != 2 or len(called[0]) != len(placeholders(backward)):
        return                                  # it was not called, or not as it was traced
    if any([g.backward and g.is_wrapped() for g in again.made.lowered]):
        called[1] = []                          # any node before it may have made a result wrong
    given = joint_inputs(joint, again.inputs, dict(zip([n.name for n in placeholders(backward)], called[0])))
    if given is not None and not compare_saved(joint, given, backward, called, captured, found, most):
        compare_joint(again, joint, given, captured, found)


def joint_inputs(joint, inputs, known):
    """The joint graph's inputs: the captured graph's, and incoming gradients by name.  None: it has others."""
    tokens = tokens_of(joint)
    nodes = placeholders(joint)[len(tokens):]
    if len(nodes) < len(inputs) or not all(map(fits_traced, nodes, inputs)):
        return None
    rest, sizes = nodes[len(inputs):], symbols_of(nodes, inputs)
    if any("tangents" not in n.name for n in rest):
        return None
    return tokens + copies_of(inputs, False) + [known[n.name] if n.name in known else ones_for(n, sizes) for n in rest]


def run_backward(backward, called, wanted, look):
    """Runs the backward graph and calls look(name, tensor) for the nodes in `wanted`.  called: (inputs, results) of the backend's code,
    whose results stand for those of the graph."""
    names, inputs, results = [n.name for n in backward.graph.nodes], called[0], called[1]
    last = list(backward.graph.nodes)[-1]
    ends = last.args[0] if isinstance(last.args[0], (tuple, list)) else last.args
    own = {a.name: v for a, v in zip(ends, results) if isinstance(a, torch.fx.Node)} if len(ends) == len(results) else {}

    def see(i, v, seconds):
        v = own.get(names[i], v)
        if names[i] in wanted and isinstance(v, torch.Tensor):
            look(names[i], v)
    with torch.no_grad():
        perform(Program(backward), inputs_of(backward, inputs), see)


def compare_saved(joint, given, backward, called, captured, found, most):
    """Compares the backward graph with the joint one."""
    made = {n.name for n in joint.graph.nodes if n.op == "call_function" and isinstance(n.meta.get("val"), torch.Tensor)}
    values = Window(joint.graph, lambda look: run_backward(backward, called, made, look), most)
    with torch.no_grad():
        walk = Walk(joint, given, values)
    found.add_rows(walk, "backward", captured, {})
    if walk.first is None:
        return False
    n = walk.first
    with torch.no_grad():
        eager = Walk(joint, given, values, keep=set(n.all_input_nodes), until=n).eager
    found.name_first(n, "backward", captured, walk.judged[-1][1], inputs_read(n, eager))
    return True


# ---- the joint graph and autograd --------------------------------------------------------------------------------------------

class Group:
    """The nodes of the joint graph that compute the gradient of one captured node.  ends: those that others read.  given: the incoming
    gradient, None if there is not exactly one."""
    def __init__(self, nodes):
        inside = set(nodes)
        sums = {n for n in nodes if is_sum_of_gradients(n, inside)}
        inside -= sums
        self.ends = [n for n in nodes if n in inside and any(u not in inside for u in n.users)]
        given = {a for n in inside for a in n.all_input_nodes if a not in inside and is_backward(a)}
        self.given = given.pop() if len(given) == 1 else None


def is_sum_of_gradients(n, inside):
    """Does this node add gradients of one value that come from several readers of it?"""
    return n.target is torch.ops.aten.add.Tensor and len(n.all_input_nodes) == 2 and all(map(is_backward, n.all_input_nodes)) and any(
        a not in inside for a in n.all_input_nodes)


def groups_of(joint, captured):
    """{name of a captured node: Group}"""
    found = {}
    for n in joint.graph.nodes:
        name = captured.by_number.get(n.meta.get("seq_nr")) if n.op == "call_function" and is_backward(n) else None
        if name:
            found.setdefault(name, []).append(n)
    return {name: Group(nodes) for name, nodes in found.items()}


def values_of(kept, inputs, seed):
    """{name of a node, also in sub-graphs: its value}, copied where the graph may write it later.  seed: the state of the random numbers
    before."""
    seen, copied = {}, not kept.program().writes_nothing()

    def look(program, i, v, seconds):
        seen[program.labels[i][0]] = pytree.tree_map(copy_of, v) if copied else v
    program = Program(kept, look=look)
    torch.set_rng_state(seed)
    with torch.no_grad():
        perform(program, inputs_of(kept, inputs), lambda *step: look(program, *step))
    return seen


def nodes_in(kept, prefix=""):
    """[(graph, what the names of its nodes begin with, node)] of a captured graph and its sub-graphs, in the order of a run."""
    for n in kept.graph.nodes:
        inner = kept.named.get(n.target) if n.op == "get_attr" else None
        if isinstance(inner, Kept):
            yield from nodes_in(inner, "%s%s." % (prefix, n.target))
        elif n.op in ("call_function", "call_method", "call_module"):
            yield kept, prefix, n


def compare_joint(again, joint, given, captured, found):
    """Compares the joint graph with autograd, from the last captured node to the first."""
    groups = groups_of(joint, captured)
    values, made = values_of(again.kept, again.inputs, again.seed), values_of(joint, given, again.seed)
    for kept, prefix, n in reversed(list(nodes_in(again.kept))):
        group = groups.get(prefix + n.name)
        off = off_in_group(kept, prefix, n, group, values, made) if group and not draws(n) else None
        if off:
            end, verdict = off
            found.row(prefix + n.name, "joint", end, captured.place(end), None, verdict, False)
            found.name_first(end, "joint", captured, verdict, [(a, made[a.name]) for a in end.all_input_nodes if a.name in made])
            return


def off_in_group(kept, prefix, n, group, values, made):
    """(node, Verdict) of a gradient that is not what autograd makes of the same incoming one; None: each is, or cannot be compared."""
    value = values.get(prefix + n.name)
    if group.given is None or not plain(value) or made[group.given.name].shape != value.shape:
        return None
    incoming = made[group.given.name]
    try:
        again, eager = gradients_through(kept, prefix, n, values, incoming, copy_of)
        _, exact = gradients_through(kept, prefix, n, values, incoming, wide)
    except Exception:                           # autograd takes no gradient of this operation by itself
        return None
    if not torch.equal(again.nan_to_num(), value.nan_to_num()):                 # it has a state of its own
        return None
    for e, x in zip(eager, exact):
        ends = [end for end in group.ends if e is not None and plain(made[end.name]) and made[end.name].shape == e.shape]
        verdicts = [judge(made[end.name], e, x) for end in ends]
        if verdicts and all([v is not None and v.wrong for v in verdicts]) and not is_right(incoming, e, x):
            return min(zip(ends, verdicts), key=lambda pair: pair[1].difference)
    return None


def is_right(incoming, e, x):
    """Is the gradient of one input the incoming one, as in a sum, which needs no node?"""
    verdict = judge(incoming, e, x)
    return verdict is not None and not verdict.wrong
