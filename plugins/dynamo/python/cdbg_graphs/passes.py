# SPDX-License-Identifier: BSD-3-Clause
"""Finds the node that a pass of inductor replaced by something else, and a wrong one in what is written into an input.

The joint graph becomes the forward graph, and that or the inference or backward graph becomes the one that is lowered.  The graph
before is run on what the one after is called with, and each value is compared with the node of the same name.  Nodes between two such
pairs are what a pass took out and put in."""
import torch
import torch.fx
import torch.utils._pytree as pytree

from .alone import Alone, slice_of
from .backward import joint_inputs
from .ends import inputs_of, inputs_read
from .errors import NodeRaised
from .forward import placeholders_by_size, walk_beside
from .judge import Walk, judge
from .nodes import is_backward, placeholders, target_of
from .run import Program, perform
from .values import copy_of, wide
from .window import Made


def paired(before, after):
    """{node before the passes: node after them} with the same value: the results, and those of one name."""
    pairs, known = {}, {n.name: n for n in after.graph.nodes}
    for n, m in [*zip(*map(ends_of, (before, after))), *[(n, known[n.name]) for n in before.graph.nodes if n.name in known]]:
        if n.op == m.op == "call_function" and n not in pairs and m not in pairs.values() and is_alike(n, m):
            pairs[n] = m
    return pairs


def ends_of(kept):
    """The nodes whose values a graph returns, without the gradients that a joint graph returns last.  What a forward graph saves for
    backward comes last, too, and has no pair."""
    ends = [n for n in pytree.tree_leaves(list(kept.graph.nodes)[-1].args[0]) if isinstance(n, torch.fx.Node)]
    return [n for n in ends if not is_backward(n)] if any([not is_backward(n) for n in ends]) else ends


def is_alike(n, m):
    """Are these tensors of one size, as they were traced?"""
    v, w = n.meta.get("val"), m.meta.get("val")
    return isinstance(v, torch.Tensor) and isinstance(w, torch.Tensor) and v.dtype == w.dtype and str(v.shape) == str(w.shape)


def compare_passes(before, given, after, inputs, stage, captured, found, most):
    """Compares a graph with the one before passes, adds rows, and sets found.first where a value differs.  given: what the graph before
    is run on; inputs: what the one after is run on.  most: the bytes of values held at once."""
    nodes, pairs = list(before.graph.nodes), paired(before, after)
    names = [[n.name for n in placeholders(kept)] for kept in (before, after)]
    if names[1] != names[0][:len(names[1])] or given is None or inputs is None:
        return

    def run(look):
        def see(i, v, seconds):
            if nodes[i] in pairs and isinstance(v, torch.Tensor):
                look(pairs[nodes[i]].name, v)
        perform(Program(before), inputs_of(before, given), see)
    try:
        walk, eager = walk_beside(after, inputs, run, most)
    except (NodeRaised, RuntimeError) as e:     # eager lays out a value otherwise than was traced, which a view refuses
        found.not_compared(stage, e)
        return
    found.add_rows(walk, stage, captured, {}, skip=walk.first)
    if walk.first is None:
        old, new, verdict, note = result_replaced(before, given, after, inputs, pairs) or (None, None, None, None)
    else:
        new, verdict = walk.judged[-1]
        old, new, note = change_between(next(b for b, a in pairs.items() if a is new), new, pairs)
    if old is None:
        return
    name, place = captured.name(old) or old.name, captured.place(old)
    found.row(name, stage, old, place, None, verdict, False)
    read = inputs_read(walk.first, eager) if walk.first else []
    there = name if note and note.startswith("took") else new.name     # nothing is in its place
    found.wrong_first(name, stage, old, place, verdict, read, inner=there)
    if note:
        found.note("pass", note)


def told(n):
    return "'%s' (%s)" % (n.name, target_of(n))


def change_between(own, n, pairs):
    """(the node before the passes that they changed, the one after them, a note or None), where a value is wrong, and what it is computed
    from is not.  own, n: the node with that value, before and after."""
    taken = [x for x in slice_of(own, {b.name for b in pairs}) if x is not own]
    made = [x for x in slice_of(n, {a.name for a in pairs.values()}) if x is not n]
    if own.target is not n.target:
        return own, n, "put %s in the place of %s" % (told(n), told(own))
    if taken and made:
        return taken[-1], made[-1], "put %s in the place of %s" % (told(made[-1]), told(taken[-1]))
    if taken:
        return taken[-1], n, "took %s out: '%s' reads %s" % (told(taken[-1]), n.name, names_of(n.all_input_nodes))
    if made:
        read = [a for a in own.all_input_nodes if pairs.get(a) not in n.all_input_nodes and a.op == "call_function"]
        return (read or [own])[0], made[-1], "put %s before '%s', which read %s" % (told(made[-1]), n.name, names_of(own.all_input_nodes))
    before, after = [", ".join(map(str, [*x.args, *["%s=%s" % v for v in x.kwargs.items()]])) for x in (own, n)]
    return own, n, "called %s with (%s), where it was (%s)" % (told(n), after, before) if before != after else None


def names_of(nodes):
    return " and ".join(["'%s'" % n.name for n in nodes]) or "nothing"


def result_replaced(before, given, after, inputs, pairs):
    """As change_between() with a Verdict: a result for which the passes return an input, or what was another value; None if there is no
    such wrong one."""
    own, inputs, values, nodes = {a: b for b, a in pairs.items()}, dict(zip(placeholders(after), inputs)), {}, list(before.graph.nodes)
    ends = [(n, m) for n, m in zip(*map(ends_of, (before, after))) if n.op == "call_function" and pairs.get(n) is not m and is_alike(n, m)]
    wanted = {x for n, m in ends for x in (n, own.get(m))}

    def see(i, v, seconds):
        if nodes[i] in wanted:
            values[nodes[i]] = copy_of(v)
    if ends:
        perform(Program(before), inputs_of(before, given), see)
    for n, m in ends:
        v = inputs.get(m, values.get(own.get(m)))
        verdict = judge(v, values[n], wide(values[n])) if v is not None else None
        if verdict and verdict.wrong:
            return n, m, verdict, "return '%s' in the place of %s" % (m.name, told(n))
    return None


def compare_all_passes(again, lowered, captured, found, most):
    """Compares the graphs that passes of inductor made, up to the first where a value differs.  lowered: those to be compared, of
    Collected.lowered."""
    stages = again.made.stages
    if "joint" in stages and "forward" in stages and any([not g.backward for g in lowered]):
        joint, forward = stages["joint"], stages["forward"]
        torch.set_rng_state(again.seed)
        compare_passes(joint, joint_inputs(joint, again.inputs, {}), forward, placeholders_by_size(forward, again.inputs), "forward",
                       captured, found, most)
    if found.first is None:
        again.run()                             # for what inductor's code is called with
        again.result = again.after = again.gradients = None
    for g in lowered:
        before = stages.get("backward" if g.backward else "forward" if "forward" in stages else "inference")
        if found.first is None and before is not None:
            compare_passes(before, g.inputs, g.kept, g.inputs, "post-grad-backward" if g.backward else "post-grad", captured, found, most)
        if found.first is None and not g.backward and g.inputs is not None:
            compare_written(g, again.made, captured, found)
        g.inputs = None


# ---- what is written into inputs --------------------------------------------------------------------------------------------------

MOST_WRITTEN = 8                                # inputs whose new values are computed alone


def compare_written(g, collected, captured, found):
    """Compiles alone what inductor's code writes into inputs, as an optimizer does: no buffer of its own holds that, so that no kernel
    could be judged.  Sets found.first where a node of it is wrong."""
    values = dict(zip(placeholders(g.kept), g.inputs))
    ends = [n.args[1] for n in g.kept.graph.nodes if n.target is torch.ops.aten.copy_.default and n.args[0] in values]
    for end in [n for n in ends if isinstance(n, torch.fx.Node) and n.op == "call_function"][:MOST_WRITTEN]:
        alone = Alone(g.kept, slice_of(end, ()), values, collected)
        n, there = alone.first, alone.walk.first
        if n is None:
            continue
        eager = Walk(alone.kept, alone.inputs, Made(alone.results), keep=set(alone.copies.values()), until=there).eager
        name, place, verdict = captured.name(n) or n.name, captured.place(n), alone.verdict()
        found.row(name, "kernel", n, place, None, verdict, False)
        found.wrong_first(name, "kernel", n, place, verdict, inputs_read(there, eager))
        return
