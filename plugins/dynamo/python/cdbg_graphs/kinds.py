# SPDX-License-Identifier: BSD-3-Clause
"""Finds the node that gives a result another type or shape than eager's.  Judges
no value."""
import torch

from .alone import Alone, slice_of
from .ends import inputs_of
from .errors import NodeRaised
from .forward import Counterparts, placeholders_by_size
from .judge import Verdict, result_kind
from .nodes import CALLS, first_stage
from .run import Program, perform


def unlike_verdict(made, eager):
    return Verdict(True, float("nan"), 0.0, 0.0, "it is %s, eager's is %s" % (made, eager))


def kinds_in(kept, inputs):
    """{name of a node: result_kind() of its tensor}, by a run in eager."""
    found, names = {}, [n.name for n in kept.graph.nodes]

    def look(i, v, seconds):
        if isinstance(v, torch.Tensor):
            found[names[i]] = result_kind(v)
    perform(Program(kept), inputs_of(kept, inputs), look)
    return found


def nodes_behind(ends):
    """These nodes and all that they are computed from."""
    return {x for end in ends for x in slice_of(end, ())}


def read_outside(nodes):
    """Those of the nodes that stand for a captured one which have its value, as far as readers tell: others read them.  What is saved for
    backward, the output reads, too."""
    found = [m for m in nodes if any([u.op in CALLS and u not in nodes for u in m.users])]
    return found or [m for m in nodes if not any([u in nodes for u in m.users])]


def unlike_stage(again, graph, captured, ends):
    """(node of a stage's graph, Verdict): the first that none of the nodes which stand for a captured one is like; None: there is no
    such node before the results at `ends`."""
    given, made = placeholders_by_size(graph, again.inputs), Counterparts(graph, captured).made
    if given is None:
        return None
    own, there = kinds_in(again.kept, again.inputs), kinds_in(graph, given)
    behind = nodes_behind(ends)
    for n in again.kept.graph.nodes:
        found = [m for m in read_outside(made.get(n.name, ())) if m.name in there] if n in behind and n.name in own else ()
        if found and all([there[m.name] != own[n.name] for m in found]):
            return found[-1], unlike_verdict(there[found[-1].name], own[n.name])
    return None


def compare_kinds(again, captured, found):
    """Sets found.first to the node of a stage from which on results are of another type or shape, if there is one."""
    stage, stages = first_stage(again.made.stages), again.made.stages
    if stage is None:
        return
    torch.set_rng_state(again.seed)
    try:
        with torch.no_grad():
            wrong = unlike_stage(again, stages[stage], captured, list(found.unlike.values()))
    except (NodeRaised, RuntimeError) as e:     # it is not laid out in eager as it was traced
        found.not_compared(stage, e)
        return
    if wrong:
        n, verdict = wrong
        found.row(captured.name(n) or n.name, stage, n, captured.place(n), None, verdict, False)
        found.name_first(n, stage, captured, verdict, [])


def unlike_kernel(g, walk, eager_of, collected):
    """(node, Verdict): the first node of inductor's graph whose value is of another type or shape in its code; None: there is none.
    eager_of(nodes, end): {node: value by eager} of these, fed up to `end`."""
    if not walk.unlike:
        return None
    end, made, own = walk.unlike[0]
    parts = slice_of(end, {n.name for n, _ in walk.judged if n is not end})
    if sum([x.op == "call_function" for x in parts]) > 1:
        alone = Alone(g.kept, parts, eager_of(parts, end), collected)
        if alone.walk.unlike:
            n, made, own = alone.walk.unlike[0]
            end = alone.original(n)
    return end, unlike_verdict(made, own)
